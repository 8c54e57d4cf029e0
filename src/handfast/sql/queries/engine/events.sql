-- Statements of the engine: events.

-- name: emit
SELECT handfast_engine.emit($1, $2, $3::jsonb)::text;

-- name: events_since
SELECT e.id::text AS id, e.at, e.type, e.aggregate, e.sequence, e.data
FROM handfast_engine.events AS e
WHERE e.at >= $1 AND e.id NOT IN (SELECT s.id FROM unnest($2::uuid[]) AS s(id))
ORDER BY e.at, e.id LIMIT $3;

-- name: events_horizon
-- What a running transaction has written is not older than this, as far as this role may see them.
SELECT handfast_db.now() - greatest($1::interval, max(clock_timestamp() - a.xact_start))
FROM pg_stat_activity AS a
WHERE a.datname = current_database() AND a.backend_xid IS NOT NULL AND a.pid <> pg_backend_pid();

-- name: events_between
SELECT e.id FROM handfast_engine.events AS e WHERE e.id BETWEEN $1 AND $2 ORDER BY e.id LIMIT $3;

-- name: event_at
SELECT e.at FROM handfast_engine.events AS e WHERE e.id = $1::text::uuid;
