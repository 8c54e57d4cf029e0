-- Statements of the webhooks: endpoints.

-- name: add_endpoint
WITH made AS (
    INSERT INTO handfast_webhooks.endpoints (id, created_at, state_since, url, types, description, since)
    VALUES ($1, handfast_db.now(), handfast_db.now(), $2, $3, $4, handfast_engine.next_ordinal())
    RETURNING *
), signing AS (
    INSERT INTO handfast_webhooks.secrets (endpoint_id, number, created_at, secret)
    SELECT m.id, 1, m.created_at, $5 FROM made AS m
)
SELECT m.id, m.url, m.types, m.description, m.state, m.reason, m.created_at, m.state_since,
       m.failing_since
FROM made AS m CROSS JOIN LATERAL handfast_engine.make_group('webhooks:' || m.id, $6) AS grouped;

-- name: endpoints
SELECT e.id, e.url, e.types, e.description, e.state, e.reason, e.created_at, e.state_since,
       e.failing_since
FROM handfast_webhooks.endpoints AS e
ORDER BY e.created_at, e.id;

-- name: endpoint
SELECT e.id, e.url, e.types, e.description, e.state, e.reason, e.created_at, e.state_since,
       e.failing_since
FROM handfast_webhooks.endpoints AS e
WHERE e.id = $1;

-- name: lock_endpoint
SELECT e.id, e.url, e.types, e.description, e.state, e.reason, e.created_at, e.state_since,
       e.failing_since
FROM handfast_webhooks.endpoints AS e
WHERE e.id = $1
FOR UPDATE;

-- name: change_endpoint
-- The endpoint is locked. A new address begins without the failures of the old one, with all places.
WITH changed AS (
    UPDATE handfast_webhooks.endpoints AS e
    SET url = coalesce($2, e.url), types = coalesce($3, e.types),
        description = coalesce($4, e.description),
        failing_since = CASE WHEN coalesce($2, e.url) = e.url THEN e.failing_since END
    WHERE e.id = $1
    RETURNING e.id, e.url
)
SELECT handfast_engine.set_group('webhooks:' || c.id, $5)
FROM changed AS c JOIN handfast_webhooks.endpoints AS b ON b.id = c.id  -- as it was before
WHERE c.url <> b.url;

-- name: stop_endpoint
SELECT handfast_webhooks.stop($1, $2, $3) AS skipped;

-- name: resume_endpoint
WITH resumed AS (
    UPDATE handfast_webhooks.endpoints AS e
    SET state = 'active', reason = NULL, state_since = handfast_db.now(), failing_since = NULL,
        since = handfast_engine.next_ordinal()
    WHERE e.id = $1 AND e.state <> 'active'
    RETURNING e.id
)
SELECT handfast_engine.set_group('webhooks:' || r.id, $2) FROM resumed AS r;

-- name: remove_endpoint
WITH gone AS (DELETE FROM handfast_webhooks.endpoints AS e WHERE e.id = $1 RETURNING e.id)
SELECT handfast_engine.withdraw_group('webhooks:' || g.id, 'skipped', 'the endpoint was removed') AS skipped
FROM gone AS g;

-- name: expire_secrets
UPDATE handfast_webhooks.secrets AS s
SET expires_at = least(s.expires_at, handfast_db.now() + $2::interval)
WHERE s.endpoint_id = $1;

-- name: add_secret
INSERT INTO handfast_webhooks.secrets (endpoint_id, number, created_at, secret)
SELECT $1, coalesce(max(s.number), 0) + 1, handfast_db.now(), $2
FROM handfast_webhooks.secrets AS s WHERE s.endpoint_id = $1;
