-- Statements of the idempotency service: records.

-- name: claim_many
SELECT outcome, token, taken_over, status, response, encrypted, expires_at, tag
FROM handfast_idempotency.claim_many($1, $2, $3, $4, $5, $6);

-- name: record
-- The fence: no row means that the claim is somebody else's by now.
UPDATE handfast_idempotency.records
SET server = NULL, status = $4, response = $5, encrypted = $6, tag = $7
WHERE scope = $1 AND key = $2 AND token = $3 AND server IS NOT NULL
RETURNING true AS recorded;

-- name: record_or_fail
-- The same as a last word, prepared on each connection and executed together with COMMIT.
SELECT handfast_idempotency.record_or_fail($1, $2, $3, $4, $5, $6);

-- name: has_tag
-- Whether a response that was read a moment ago may still be given.
SELECT EXISTS (
    SELECT 1 FROM handfast_idempotency.records
    WHERE scope = $1 AND key = $2 AND tag = $3 AND response IS NOT NULL
);

-- name: drop_tag
UPDATE handfast_idempotency.records SET response = NULL WHERE tag = $1 AND response IS NOT NULL;

-- name: release
SELECT handfast_idempotency.release($1, $2, $3, $4);

-- name: prune
SELECT gone, next_page FROM handfast_idempotency.prune($1, $2);

-- name: forget
DELETE FROM handfast_idempotency.records WHERE scope = $1 AND server IS NULL;

-- name: cache_secret
SELECT secret FROM handfast_idempotency.cache_secret;
