-- Statements of the engine. What must be atomic is a function; these are how Python calls them.

-- name: declare_kinds
INSERT INTO engine.kinds AS k
    (kind, lane, priority, version, policy, group_name, horizon, on_prerequisite_death)
SELECT * FROM unnest(
    $1::text[], $2::text[], $3::smallint[], $4::smallint[], $5::jsonb[], $6::text[],
    $7::interval[], $8::text[]
)
ON CONFLICT (kind) DO UPDATE SET
    lane = excluded.lane, priority = excluded.priority, version = excluded.version,
    policy = excluded.policy, group_name = excluded.group_name, horizon = excluded.horizon,
    on_prerequisite_death = excluded.on_prerequisite_death, declared_at = clock_timestamp()
WHERE (k.lane, k.priority, k.version, k.policy, k.group_name, k.horizon, k.on_prerequisite_death)
    IS DISTINCT FROM (excluded.lane, excluded.priority, excluded.version, excluded.policy,
                      excluded.group_name, excluded.horizon, excluded.on_prerequisite_death)
    -- A worker of an older program that starts later must not undo what a newer one declared.
    AND excluded.version >= k.version;

-- name: declare_groups
INSERT INTO engine.groups AS g (name, max_running)
SELECT * FROM unnest($1::text[], $2::integer[])
ON CONFLICT (name) DO UPDATE SET max_running = excluded.max_running
WHERE g.max_running <> excluded.max_running;

-- name: enqueue
SELECT id, created, state::text AS state
FROM engine.enqueue($1, $2, $3::jsonb, coalesce($4, db.now() + $5::interval), $6::jsonb);

-- name: enqueue_many
SELECT ordinal, id, created, state::text AS state
FROM engine.enqueue_many($1, $2::text[], $3::jsonb[], $4::timestamptz[], $5::jsonb);

-- name: result
SELECT a.job_id IS NOT NULL AS found, a.result
FROM engine.jobs AS j
LEFT JOIN engine.attempts AS a
    ON a.job_id = j.id AND a.finished_at = j.finished_at AND a.token = j.token
WHERE j.id = $1;

-- name: claim
SELECT id, token, attempt, failures, kind, key, payload, version, due_at, started_at, alone, lane,
       priority
FROM engine.claim($1, $2::text[], $3, NULL, $4::jsonb);

-- name: finish
SELECT engine.finish($1::bigint[], $2::bigint[], $3::jsonb[]);

-- name: fail
SELECT engine.fail($1, $2, $3, $4, $5, $6)::text;

-- name: acknowledge_cancel
SELECT engine.acknowledge_cancel($1, $2);

-- name: hand_back
SELECT engine.hand_back($1::bigint[], $2::bigint[]);

-- name: register_worker
SELECT engine.register_worker($1, $2::text[], $3);

-- name: beat
SELECT engine.beat($1, $2);

-- name: orphans
SELECT l.id, l.token FROM engine.live AS l
WHERE l.worker = $1 AND l.state = 'running' AND NOT l.id = ANY ($2::bigint[]);

-- name: end_worker
SELECT engine.end_worker($1);

-- name: report_progress
SELECT engine.report_progress($1, $2, $3::real, $4);

-- name: promote
SELECT promoted, next_due FROM engine.promote($1);

-- name: rescue
SELECT engine.rescue($1);

-- name: escalate
SELECT engine.escalate($1);

-- name: make_partitions
SELECT engine.make_partitions($1);

-- name: emit
SELECT engine.emit($1, $2, $3::jsonb)::text;

-- name: declare_schedules
-- A new schedule begins now; a changed one goes on from its cursor. The last declaration counts.
WITH declared AS (
    INSERT INTO engine.schedules AS s (name, kind, spec, words, cursor, seen_at)
    SELECT d.name, d.kind, d.spec, d.words, db.now(), db.now()
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
SELECT s.name, s.spec, s.cursor, s.next_at, s.paused_at, s.revision, s.seen_at, db.now() AS now
FROM engine.schedules AS s WHERE s.name = ANY ($1::text[]) ORDER BY s.name;

-- name: see_schedules
UPDATE engine.schedules AS s SET seen_at = db.now()
WHERE s.name IN (
    SELECT e.name FROM engine.schedules AS e
    WHERE e.name = ANY ($1::text[]) AND e.seen_at < db.now() - $2::interval
    ORDER BY e.name FOR UPDATE SKIP LOCKED
);

-- name: fire_ticks
SELECT fired, skipped, conflicts, refused
FROM engine.fire_ticks(
    $1, $2, $3::timestamptz[], $4::text[], $5::date[], $6::text[], $7::jsonb[], $8::boolean[],
    $9::text[], $10, $11, $12::jsonb
);

-- name: prune_ticks
WITH old AS (
    SELECT t.schedule, t.tick, t.zone FROM engine.ticks AS t
    WHERE t.fired_at < db.now() - $1::interval ORDER BY t.fired_at LIMIT $2
), gone AS (
    DELETE FROM engine.ticks AS t USING old AS o
    WHERE (t.schedule, t.tick, t.zone) = (o.schedule, o.tick, o.zone) RETURNING 1
)
SELECT count(*) FROM gone;

-- name: list_schedules
SELECT s.name, s.kind, s.words, s.cursor, s.next_at, s.paused_at,
       l.tick AS last_tick, l.skipped AS last_skipped,
       (SELECT max(t.tick) FROM engine.ticks AS t
        WHERE t.schedule = s.name AND t.skipped IS NULL) AS last_fired,
       s.seen_at, s.spec, db.now() AS now
FROM engine.schedules AS s
LEFT JOIN LATERAL (
    SELECT t.tick, t.skipped FROM engine.ticks AS t
    WHERE t.schedule = s.name ORDER BY t.tick DESC LIMIT 1
) AS l ON true
WHERE $1::text IS NULL OR s.name = $1
ORDER BY s.name;

-- name: pause_schedule
WITH paused AS (
    UPDATE engine.schedules AS s SET paused_at = db.now(), revision = s.revision + 1
    WHERE s.name = $1 AND s.paused_at IS NULL RETURNING s.name
)
SELECT p.name FROM paused AS p, LATERAL pg_notify('handfast_schedules', p.name);

-- name: resume_schedule
-- The ticks of the pause were not wanted, unless the operator says so now.
WITH resumed AS (
    UPDATE engine.schedules AS s
    SET paused_at = NULL, next_at = NULL, revision = s.revision + 1,
        cursor = CASE WHEN $2 THEN s.cursor ELSE greatest(s.cursor, db.now()) END
    WHERE s.name = $1 AND s.paused_at IS NOT NULL RETURNING s.name
)
SELECT r.name FROM resumed AS r, LATERAL pg_notify('handfast_schedules', r.name);

-- name: drop_history
SELECT engine.drop_history(db.now() - $1::interval);

-- name: prune
SELECT engine.prune(db.now() - $1::interval, $2);

-- name: forget_identities
SELECT engine.forget_identities($1, $2);
