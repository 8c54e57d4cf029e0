-- Statements of identity: sign-ins and refresh tokens.

-- name: add_sign_in
INSERT INTO handfast_identity.sign_ins
    (id, account_id, created_at, last_used_at, idle_until, expires_at, device_hash)
VALUES ($1, $2, handfast_db.now(), handfast_db.now(), handfast_db.now() + $4::interval,
        handfast_db.now() + $5::interval, $3)
RETURNING created_at;

-- name: end_oldest_sign_ins
-- The account is locked by whoever signs in, so two cannot count at once. What expired by itself has
-- no end either until it is pruned: it goes before any that is still in use.
UPDATE handfast_identity.sign_ins AS s
SET ended_at = handfast_db.now(), ended_by = 'too_many'
WHERE s.ended_at IS NULL AND s.id IN (
    SELECT o.id FROM handfast_identity.sign_ins AS o
    WHERE o.account_id = $1 AND o.ended_at IS NULL
    ORDER BY least(o.idle_until, o.expires_at) > handfast_db.now() DESC, o.created_at DESC, o.id DESC
    OFFSET $2
)
RETURNING s.id;

-- name: end_sign_in
UPDATE handfast_identity.sign_ins AS s
SET ended_at = handfast_db.now(), ended_by = $3
WHERE s.id = $2 AND s.account_id = $1 AND s.ended_at IS NULL
RETURNING s.id;

-- name: end_sign_ins_of
UPDATE handfast_identity.sign_ins AS s
SET ended_at = handfast_db.now(), ended_by = $2
WHERE s.account_id = $1 AND s.ended_at IS NULL
RETURNING s.id;

-- name: sign_ins_of
SELECT s.id, s.created_at, s.last_used_at, least(s.idle_until, s.expires_at) AS expires_at
FROM handfast_identity.sign_ins AS s
WHERE s.account_id = $1 AND s.ended_at IS NULL AND s.expires_at > handfast_db.now()
  AND s.idle_until > handfast_db.now()
ORDER BY s.created_at DESC, s.id DESC;

-- name: forget_sign_ins_of
DELETE FROM handfast_identity.sign_ins AS s
WHERE s.account_id = $1;

-- name: prune_sign_ins
DELETE FROM handfast_identity.sign_ins AS s
WHERE s.id IN (
    SELECT o.id FROM handfast_identity.sign_ins AS o
    WHERE least(o.ended_at, o.idle_until, o.expires_at) < handfast_db.now() - $1::interval
    LIMIT $2
);

-- name: add_refresh_token
INSERT INTO handfast_identity.refresh_tokens (hash, sign_in_id, created_at)
VALUES ($1, $2, handfast_db.now());

-- name: spend_refresh_token
SELECT f.outcome, f.sign_in_id, f.account_id, f.successor, f.at
FROM handfast_identity.spend_refresh_token($1, $2, $3, $4, $5, $6, $7) AS f;

-- name: still_stands
SELECT s.ended_at IS NULL AND s.expires_at > c.at AND s.idle_until > c.at
       AND (a.suspended_at IS NULL OR coalesce(a.suspended_until <= c.at, false)) AS stands
FROM (SELECT handfast_db.now() AS at OFFSET 0) AS c
CROSS JOIN handfast_identity.sign_ins AS s
JOIN handfast_identity.accounts AS a ON a.id = s.account_id
WHERE s.id = $1;
