-- name: add_endpoint
WITH made AS (
    INSERT INTO webhooks.endpoints (id, created_at, state_since, url, types, description)
    VALUES ($1, db.now(), db.now(), $2, $3, $4)
    RETURNING *
), signing AS (
    INSERT INTO webhooks.secrets (endpoint_id, number, created_at, secret)
    SELECT m.id, 1, m.created_at, $5 FROM made AS m
), grouped AS (
    INSERT INTO engine.groups (name, max_running) SELECT 'webhooks:' || m.id, $6 FROM made AS m
)
SELECT m.id, m.url, m.types, m.description, m.state, m.reason, m.created_at, m.state_since,
       m.failing_since
FROM made AS m;

-- name: endpoints
SELECT e.id, e.url, e.types, e.description, e.state, e.reason, e.created_at, e.state_since,
       e.failing_since
FROM webhooks.endpoints AS e
ORDER BY e.created_at, e.id;

-- name: endpoint
SELECT e.id, e.url, e.types, e.description, e.state, e.reason, e.created_at, e.state_since,
       e.failing_since
FROM webhooks.endpoints AS e
WHERE e.id = $1;

-- name: lock_endpoint
SELECT e.id, e.url, e.types, e.description, e.state, e.reason, e.created_at, e.state_since,
       e.failing_since
FROM webhooks.endpoints AS e
WHERE e.id = $1
FOR UPDATE;

-- name: change_endpoint
UPDATE webhooks.endpoints AS e
SET url = coalesce($2, e.url), types = coalesce($3, e.types),
    description = coalesce($4, e.description)
WHERE e.id = $1;

-- name: stop_endpoint
SELECT webhooks.stop($1, $2, $3) AS skipped;

-- name: resume_endpoint
WITH resumed AS (
    UPDATE webhooks.endpoints AS e
    SET state = 'active', reason = NULL, state_since = db.now(), failing_since = NULL
    WHERE e.id = $1 AND e.state <> 'active'
    RETURNING e.id
)
UPDATE engine.groups AS g SET max_running = $2, shares = NULL
FROM resumed AS r WHERE g.name = 'webhooks:' || r.id;

-- name: remove_endpoint
WITH gone AS (DELETE FROM webhooks.endpoints AS e WHERE e.id = $1 RETURNING e.id)
SELECT engine.withdraw_group('webhooks:' || g.id, 'skipped', 'the endpoint was removed') AS skipped
FROM gone AS g;

-- name: expire_secrets
UPDATE webhooks.secrets AS s
SET expires_at = least(s.expires_at, db.now() + $2::interval)
WHERE s.endpoint_id = $1;

-- name: add_secret
INSERT INTO webhooks.secrets (endpoint_id, number, created_at, secret)
SELECT $1, coalesce(max(s.number), 0) + 1, db.now(), $2
FROM webhooks.secrets AS s WHERE s.endpoint_id = $1;

-- name: replay
SELECT r.replay, r.deliveries FROM webhooks.replay($1, $2, $3, $4, $5, $6) AS r;

-- name: event_exists
SELECT EXISTS (SELECT 1 FROM engine.events AS e WHERE e.id = $1) AS found;

-- name: attempts
SELECT a.id, a.at, a.event_id, a.event_type, a.attempt, a.outcome, a.status, a.seconds, a.error,
       a.excerpt, a.job_id
FROM webhooks.attempts AS a
WHERE a.endpoint_id = $1 AND ($2::bigint IS NULL OR a.id < $2)
ORDER BY a.id DESC
LIMIT $3;

-- name: attempts_since
SELECT a.id, a.at, a.event_id, a.event_type, a.attempt, a.outcome, a.status, a.seconds, a.error,
       a.excerpt, a.job_id
FROM webhooks.attempts AS a
WHERE a.id > $1 AND ($2::uuid IS NULL OR a.endpoint_id = $2)
ORDER BY a.id
LIMIT $3;

-- name: last_attempt
SELECT coalesce(max(a.id), 0) AS id FROM webhooks.attempts AS a;

-- name: deliveries
SELECT e.url, e.state, e.reason,
       ARRAY(SELECT s.secret FROM webhooks.secrets AS s
             WHERE s.endpoint_id = e.id AND (s.expires_at IS NULL OR s.expires_at > db.now())
             -- Each makes the signature's header longer, and receivers bound those.
             ORDER BY s.number DESC LIMIT 5) AS secrets,
       v.type, v.at, v.aggregate, v.sequence, v.data::text AS data, db.now() AS now
FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY AS w(event_id, endpoint_id, place)
LEFT JOIN webhooks.endpoints AS e ON e.id = w.endpoint_id
LEFT JOIN engine.events AS v ON v.id = w.event_id
ORDER BY w.place;

-- name: record_attempts
SELECT r.job_id, r.state FROM webhooks.record_attempts(
    $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14
) AS r;

-- name: prune
SELECT webhooks.prune(db.now() - $1::interval, $2) AS pruned;
