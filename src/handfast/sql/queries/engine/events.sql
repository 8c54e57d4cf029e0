-- Statements of the engine: events.

-- name: emit
SELECT handfast_engine.emit($1, $2, $3::jsonb, $4::uuid[])::text;

-- name: emit_many
SELECT m.id::text AS id
FROM unnest(
    handfast_engine.emit_many($1::text[], $2::text[], $3::jsonb[], $4::integer[], $5::uuid[])
) WITH ORDINALITY AS m(id, ord)
ORDER BY m.ord;

-- name: events_between
SELECT e.id FROM handfast_engine.events AS e WHERE e.id BETWEEN $1 AND $2 ORDER BY e.id LIMIT $3;

-- name: look_for_events
SELECT l.stream, l.number, l.xid, l.ordinal, l.id, l.at, l.type, l.aggregate, l.sequence, l.data
FROM handfast_engine.look_for_events(
    $1::bigint[], $2::bigint[], $3::uuid[], $4::bigint[], $5::boolean[], $6
) AS l;

-- name: operators_begin
-- What can be seen now, and where the event stands that somebody has seen last.
SELECT pg_current_snapshot()::text AS snapshot, e.xid::text::bigint AS xid, e.ordinal
FROM (SELECT 1) AS always LEFT JOIN handfast_engine.events AS e ON e.id = $1;

-- name: mark_asleep
INSERT INTO handfast_engine.sleepers (id, waits_for, until)
VALUES ($1, $2, clock_timestamp() + $3::interval)
ON CONFLICT (id) DO UPDATE SET until = excluded.until;

-- name: mark_awake
UPDATE handfast_engine.sleepers AS s SET until = '-infinity' WHERE s.id = $1;

-- name: leave_sleepers
DELETE FROM handfast_engine.sleepers AS s WHERE s.id = $1;
