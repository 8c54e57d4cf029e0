-- Statements of identity: codes. None of them reads accounts, so none can tell whether a phone is known.

-- name: live_otp_request
SELECT r.id, r.expires_at, r.sent_at, r.sends, r.at
FROM handfast_identity.live_request($1, $2) AS r;

-- name: add_otp_request
INSERT INTO handfast_identity.otp_requests
    (id, created_at, expires_at, sent_at, asker, code_hash, phone)
VALUES ($1, handfast_db.now(), handfast_db.now() + $5::interval, handfast_db.now(), $2, $3, $4)
RETURNING expires_at;

-- name: renew_otp_code
UPDATE handfast_identity.otp_requests AS r
SET code_hash = $2, sent_at = handfast_db.now(), sends = r.sends + 1
WHERE r.id = $1
RETURNING r.expires_at;

-- name: count_try
-- Counted by the same statement that compares: whoever waits for the row sees the count before it.
UPDATE handfast_identity.otp_requests AS r
SET tries = r.tries + 1
WHERE r.id = $1 AND r.tries < $3 AND r.used_at IS NULL AND r.expires_at > handfast_db.now()
RETURNING r.code_hash = ANY($2::bytea[]) AS is_right;

-- name: use_otp_request
UPDATE handfast_identity.otp_requests AS r
SET used_at = handfast_db.now()
WHERE r.id = $1 AND r.used_at IS NULL AND r.code_hash = ANY($2::bytea[])
RETURNING r.phone;

-- name: otp_to_send
SELECT r.phone, r.code_hash
FROM handfast_identity.otp_requests AS r
WHERE r.id = $1 AND r.sends = $2 AND r.used_at IS NULL AND r.expires_at > handfast_db.now();

-- name: prune_otp_requests
DELETE FROM handfast_identity.otp_requests AS r
WHERE r.id IN (
    SELECT o.id FROM handfast_identity.otp_requests AS o
    WHERE o.expires_at < handfast_db.now() - $1::interval
    ORDER BY o.expires_at
    LIMIT $2
);

-- name: forget_otp_requests_of
DELETE FROM handfast_identity.otp_requests AS r
WHERE r.phone = $1;
