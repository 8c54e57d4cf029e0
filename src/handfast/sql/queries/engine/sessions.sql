-- Statements of the engine: sessions of operators and viewers, and codes that begin one.

-- name: begin_session
INSERT INTO handfast_engine.operator_sessions (digest, caller, name, token_digest, began_at, ends_at)
SELECT $1, $2, $3, $4, n.now, n.now + $5::interval FROM (SELECT handfast_db.now()) AS n(now)
RETURNING ends_at;

-- name: session
SELECT s.caller, s.name, s.token_digest, s.ends_at FROM handfast_engine.operator_sessions AS s
WHERE s.digest = $1 AND s.ends_at > handfast_db.now();

-- name: end_session
DELETE FROM handfast_engine.operator_sessions AS s WHERE s.digest = $1 RETURNING s.name;

-- name: end_sessions
WITH gone AS (
    DELETE FROM handfast_engine.operator_sessions AS s WHERE s.caller = $1 AND s.name = $2 RETURNING 1
)
SELECT count(*) FROM gone;

-- name: add_code
INSERT INTO handfast_engine.sign_in_codes (digest, caller, name, token_digest, ends_at)
VALUES ($1, $2, $3, $4, handfast_db.now() + $5::interval);

-- name: take_code
-- Whoever deletes it has it; one that is too old is gone as well.
DELETE FROM handfast_engine.sign_in_codes AS c WHERE c.digest = $1
RETURNING c.caller, c.name, c.token_digest, c.ends_at > handfast_db.now() AS fresh;

-- name: prune_sessions
WITH codes AS (
    DELETE FROM handfast_engine.sign_in_codes AS c WHERE c.ends_at < handfast_db.now()
)
DELETE FROM handfast_engine.operator_sessions AS s WHERE s.ends_at < handfast_db.now();
