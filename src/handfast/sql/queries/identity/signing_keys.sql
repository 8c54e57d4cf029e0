-- Statements of identity: signing keys.

-- name: add_signing_key
SELECT handfast_identity.add_signing_key($1, $2, $3, $4, $5, $6, $7) AS added;

-- name: signing_key
-- What signs now: the newest whose time has come. If the clock was set back to before all of them, the
-- next one: nobody could sign in otherwise.
SELECT k.kid, k.public_key, k.private_key, handfast_db.now() AS at
FROM handfast_identity.signing_keys AS k
WHERE k.private_key IS NOT NULL
  AND (k.verifies_until IS NULL OR k.verifies_until > handfast_db.now())
ORDER BY greatest(k.signs_from - handfast_db.now(), interval '0'), k.signs_from DESC, k.kid
LIMIT 1;

-- name: verifying_keys
SELECT k.kid, k.created_at, k.signs_from, k.verifies_until, k.public_key
FROM handfast_identity.signing_keys AS k
WHERE k.verifies_until IS NULL OR k.verifies_until > handfast_db.now()
ORDER BY k.signs_from DESC, k.kid;

-- name: forget_signing_keys
-- Private halves go as soon as another signs; what verifies nothing any more goes whole.
WITH gone AS (
    DELETE FROM handfast_identity.signing_keys AS k
    WHERE k.verifies_until < handfast_db.now() - $1::interval
)
UPDATE handfast_identity.signing_keys AS k
SET private_key = NULL
WHERE k.private_key IS NOT NULL AND k.verifies_until IS NOT NULL AND EXISTS (
    SELECT FROM handfast_identity.signing_keys AS n
    WHERE n.signs_from <= handfast_db.now() - $2::interval AND n.signs_from > k.signs_from
);
