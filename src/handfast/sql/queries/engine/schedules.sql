-- Statements of the engine: schedules.

-- name: declare_schedules
-- A new schedule begins now; a changed one goes on from its cursor. The last declaration counts.
WITH declared AS (
    INSERT INTO handfast_engine.schedules AS s (name, kind, spec, words, cursor, seen_at)
    SELECT d.name, d.kind, d.spec, d.words, handfast_db.now(), handfast_db.now()
    FROM unnest($1::text[], $2::text[], $3::jsonb[], $4::text[]) AS d(name, kind, spec, words)
    ORDER BY d.name COLLATE "C"
    ON CONFLICT (name) DO UPDATE SET
        kind = excluded.kind, spec = excluded.spec, words = excluded.words, next_at = NULL,
        seen_at = excluded.seen_at, revision = s.revision + 1
    WHERE (s.kind, s.spec) IS DISTINCT FROM (excluded.kind, excluded.spec)
    RETURNING s.name
)
SELECT pg_notify('handfast_schedules', '') FROM (SELECT count(*) FROM declared) AS d(n) WHERE d.n > 0;

-- name: read_schedules
SELECT s.name, s.spec, s.cursor, s.next_at, s.paused_at, s.revision, s.seen_at, handfast_db.now() AS now
FROM handfast_engine.schedules AS s WHERE s.name = ANY ($1::text[]) ORDER BY s.name;

-- name: see_schedules
UPDATE handfast_engine.schedules AS s SET seen_at = handfast_db.now()
WHERE s.name IN (
    SELECT e.name FROM handfast_engine.schedules AS e
    WHERE e.name = ANY ($1::text[]) AND e.seen_at < handfast_db.now() - $2::interval
    ORDER BY e.name FOR UPDATE SKIP LOCKED
);

-- name: fire_ticks
SELECT fired, skipped, conflicts, refused
FROM handfast_engine.fire_ticks(
    $1, $2, $3::timestamptz[], $4::text[], $5::date[], $6::text[], $7::jsonb[], $8::boolean[],
    $9::text[], $10, $11, $12::jsonb
);

-- name: prune_ticks
WITH old AS (
    SELECT t.schedule, t.tick, t.zone FROM handfast_engine.ticks AS t
    WHERE t.fired_at < handfast_db.now() - $1::interval ORDER BY t.fired_at LIMIT $2
), gone AS (
    DELETE FROM handfast_engine.ticks AS t USING old AS o
    WHERE (t.schedule, t.tick, t.zone) = (o.schedule, o.tick, o.zone) RETURNING 1
)
SELECT count(*) FROM gone;

-- name: list_schedules
SELECT s.name, s.kind, s.words, s.cursor, s.next_at, s.paused_at,
       l.tick AS last_tick, l.skipped AS last_skipped,
       (SELECT max(t.tick) FROM handfast_engine.ticks AS t
        WHERE t.schedule = s.name AND t.skipped IS NULL) AS last_fired,
       s.seen_at, s.spec, handfast_db.now() AS now, s.paused_by, s.pause_reason
FROM handfast_engine.schedules AS s
LEFT JOIN LATERAL (
    SELECT t.tick, t.skipped FROM handfast_engine.ticks AS t
    WHERE t.schedule = s.name ORDER BY t.tick DESC LIMIT 1
) AS l ON true
WHERE $1::text IS NULL OR s.name = $1
ORDER BY s.name;

-- name: pause_schedule
WITH paused AS (
    UPDATE handfast_engine.schedules AS s
    SET paused_at = handfast_db.now(), paused_by = $2, pause_reason = $3, revision = s.revision + 1
    WHERE s.name = $1 AND s.paused_at IS NULL RETURNING s.name
)
SELECT p.name FROM paused AS p, LATERAL pg_notify('handfast_schedules', p.name);

-- name: resume_schedule
-- The ticks of the pause were not wanted, unless the operator says so now.
WITH resumed AS (
    UPDATE handfast_engine.schedules AS s
    SET paused_at = NULL, paused_by = NULL, pause_reason = NULL, next_at = NULL, revision = s.revision + 1,
        cursor = CASE WHEN $2 THEN s.cursor ELSE greatest(s.cursor, handfast_db.now()) END
    WHERE s.name = $1 AND s.paused_at IS NOT NULL RETURNING s.name
)
SELECT r.name FROM resumed AS r, LATERAL pg_notify('handfast_schedules', r.name);
