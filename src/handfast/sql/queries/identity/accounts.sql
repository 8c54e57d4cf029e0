-- Statements of identity: accounts.

-- name: standing
-- Of every request: three rows by their keys, and the clock asked once.
SELECT s.account_id,
       s.ended_at IS NOT NULL AS ended,
       s.expires_at <= c.at OR s.idle_until <= c.at AS expired,
       a.suspended_at IS NOT NULL AND (a.suspended_until IS NULL OR a.suspended_until > c.at) AS suspended,
       a.action_id,
       a.suspended_until,
       k.kid IS NOT NULL AND (k.verifies_until IS NULL OR k.verifies_until > c.at) AS key_stands,
       c.at
FROM (SELECT handfast_db.now() AS at OFFSET 0) AS c
CROSS JOIN handfast_identity.sign_ins AS s
JOIN handfast_identity.accounts AS a ON a.id = s.account_id
LEFT JOIN handfast_identity.signing_keys AS k ON k.kid = $2
WHERE s.id = $1;

-- name: take_account
INSERT INTO handfast_identity.accounts AS a (id, created_at, last_active_at, phone)
VALUES ($1, handfast_db.now(), handfast_db.now(), $2)
ON CONFLICT (phone) DO UPDATE SET last_active_at = greatest(a.last_active_at, handfast_db.now())
RETURNING a.id, a.phone, a.status, a.created_at, a.last_active_at, a.action_id, a.suspended_until,
          a.suspended_at, a.deleted_at, a.erased_at;

-- name: account
SELECT a.id, a.phone, a.status, a.created_at, a.last_active_at, a.action_id, a.suspended_until,
       a.suspended_at, a.deleted_at, a.erased_at
FROM handfast_identity.accounts AS a
WHERE a.id = $1;

-- name: account_of_phone
SELECT a.id, a.phone, a.status, a.created_at, a.last_active_at, a.action_id, a.suspended_until,
       a.suspended_at, a.deleted_at, a.erased_at
FROM handfast_identity.accounts AS a
WHERE a.phone = $1;

-- name: lock_account
SELECT a.id, a.phone, a.status, a.created_at, a.last_active_at, a.action_id, a.suspended_until,
       a.suspended_at, a.deleted_at, a.erased_at
FROM handfast_identity.accounts AS a
WHERE a.id = $1
FOR UPDATE;

-- name: hold_account
-- As it stands, and until the transaction ends nobody suspends or deletes it.
SELECT a.suspended_at IS NOT NULL AND (a.suspended_until IS NULL OR a.suspended_until > c.at) AS suspended,
       a.action_id,
       a.suspended_until,
       a.deleted_at IS NOT NULL AS deleted
FROM (SELECT handfast_db.now() AS at OFFSET 0) AS c
CROSS JOIN handfast_identity.accounts AS a
WHERE a.id = $1
FOR SHARE OF a;

-- name: suspend_account
UPDATE handfast_identity.accounts AS a
SET suspended_at = handfast_db.now(), action_id = $2, suspended_until = $3
WHERE a.id = $1
RETURNING a.id, a.phone, a.status, a.created_at, a.last_active_at, a.action_id, a.suspended_until,
          a.suspended_at, a.deleted_at, a.erased_at;

-- name: reinstate_account
UPDATE handfast_identity.accounts AS a
SET suspended_at = NULL, action_id = NULL, suspended_until = NULL
WHERE a.id = $1
RETURNING a.id, a.phone, a.status, a.created_at, a.last_active_at, a.action_id, a.suspended_until,
          a.suspended_at, a.deleted_at, a.erased_at;

-- name: delete_account
UPDATE handfast_identity.accounts AS a
SET deleted_at = handfast_db.now()
WHERE a.id = $1 AND a.deleted_at IS NULL;

-- name: restore_account
UPDATE handfast_identity.accounts AS a
SET deleted_at = NULL
WHERE a.id = $1 AND a.erased_at IS NULL;

-- name: erase_account
UPDATE handfast_identity.accounts AS a
SET erased_at = handfast_db.now(), phone = NULL
WHERE a.id = $1 AND a.erased_at IS NULL;

-- name: is_past
SELECT handfast_db.now() >= $1::timestamptz + $2::interval AS past;

-- name: instant_after
SELECT handfast_db.now() + $1::interval AS at;

-- name: accounts_to_reinstate
SELECT a.id
FROM handfast_identity.accounts AS a
WHERE a.suspended_until <= handfast_db.now() AND a.erased_at IS NULL
ORDER BY a.suspended_until
LIMIT $1;

-- name: accounts_to_erase
SELECT a.id
FROM handfast_identity.accounts AS a
WHERE a.deleted_at <= handfast_db.now() - $1::interval AND a.erased_at IS NULL
ORDER BY a.deleted_at
LIMIT $2;

-- name: ban_phone
INSERT INTO handfast_identity.banned_phones (hash, banned_at, action_id, made_under)
VALUES ($1, handfast_db.now(), $2, $3)
ON CONFLICT (hash) DO NOTHING;

-- name: unban_phone
DELETE FROM handfast_identity.banned_phones AS b
WHERE b.hash = ANY($1::bytea[]);

-- name: lift_ban
DELETE FROM handfast_identity.banned_phones AS b
WHERE b.action_id = $1;

-- name: ban_of
SELECT b.action_id
FROM handfast_identity.banned_phones AS b
WHERE b.hash = ANY($1::bytea[])
LIMIT 1;

-- name: secrets_of_bans
SELECT b.made_under, count(*) AS bans
FROM handfast_identity.banned_phones AS b
WHERE b.made_under IS NOT NULL
GROUP BY b.made_under;

-- name: says_secrets_of_bans
-- Whether the column is there: doctor looks before anybody migrates.
SELECT EXISTS (
    SELECT FROM pg_attribute AS a
    WHERE a.attrelid = to_regclass('handfast_identity.banned_phones') AND a.attname = 'made_under'
) AS says;
