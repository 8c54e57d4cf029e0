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
FROM engine.enqueue(
    $1, $2, $3::jsonb,
    CASE WHEN $5::interval IS NULL THEN $4::timestamptz ELSE db.now() + $5::interval END, $6::jsonb
);

-- name: enqueue_everyday
-- What engine.enqueue does for a job without ties, in one statement: no row if the identity exists.
WITH made AS (
    INSERT INTO engine.jobs (kind, key, enqueued_at)
    VALUES ($1::text, $2::text, db.now())
    ON CONFLICT (kind, key) DO NOTHING
    RETURNING id, enqueued_at
), put AS (
    INSERT INTO engine.live (
        id, token, due_at, first_due_at, state, priority, base_priority, version, lane, kind, key,
        payload, group_name
    )
    SELECT m.id, 0, n.due, n.due, engine.first_state(0, n.due, m.enqueued_at), n.priority,
           n.priority, coalesce($7::smallint, k.version, 1::smallint),
           coalesce($5::text, k.lane, 'default'), $1::text, $2::text, $3::jsonb, k.group_name
    FROM made AS m
    LEFT JOIN engine.kinds AS k ON k.kind = $1::text
    CROSS JOIN LATERAL (
        SELECT coalesce($4::timestamptz, m.enqueued_at) AS due,
               coalesce($6::smallint, k.priority, 10::smallint) AS priority
    ) AS n
    RETURNING id, state, lane
)
SELECT p.id, p.state::text AS state, CASE
    WHEN p.state = 'ready' AND EXISTS (
        SELECT 1 FROM engine.workers AS w
        WHERE w.idle AND w.ended_at IS NULL AND p.lane = ANY (w.lanes)
    ) THEN pg_notify('handfast_ready', p.lane)::text END AS told
FROM put AS p;

-- name: enqueue_bulk
SELECT ids, created, states::text[] AS states
FROM engine.enqueue_bulk($1, $2::text[], $3::jsonb[], $4::timestamptz[], $5::jsonb);

-- name: result
SELECT a.job_id IS NOT NULL AS found, a.result
FROM engine.jobs AS j
LEFT JOIN engine.attempts AS a
    ON a.job_id = j.id AND a.finished_at = j.finished_at AND a.token = j.token
WHERE j.id = $1;

-- name: claim
SELECT id, token, attempt, kind, key, payload, version, date_part('epoch', due_at) AS due, alone,
       lane, priority
FROM engine.claim($1, $2::text[], $3, NULL, $4::jsonb);

-- name: finish
-- Those that were accepted; null if that is all of them, as nearly always.
SELECT CASE WHEN cardinality(f.accepted) < cardinality($1) THEN f.accepted END AS accepted
FROM engine.finish($1::bigint[], $2::bigint[], $3::jsonb[]) AS f(accepted);

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
SELECT promoted, date_part('epoch', next_due) - date_part('epoch', db.now()) AS wait
FROM engine.promote($1);

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

-- --- what operators see ------------------------------------------------------------------------
-- Every list reads at most a fixed number of rows, from an index, however many there are.

-- name: list_live
SELECT l.id, l.kind, l.key, l.state::text AS state, l.lane, l.priority,
       db.readable(l.due_at) AS due_at, NULL::timestamptz AS finished_at, l.started_at,
       l.attempt, l.worker, p.fraction AS progress, p.message, l.reason
FROM (
    SELECT i.* FROM engine.live AS i
    WHERE i.id < $5 AND (i.state = $3::text::engine.job_state OR $3 IS NULL)
    ORDER BY i.id DESC LIMIT $7
) AS l
LEFT JOIN engine.progress AS p ON p.job_id = l.id AND p.token = l.token
WHERE ($1::text IS NULL OR l.kind = $1) AND ($2::text IS NULL OR l.lane = $2)
  AND ($4::text IS NULL OR l.key ^@ $4)
ORDER BY l.id DESC LIMIT $6;

-- name: list_running
SELECT l.id, l.kind, l.key, l.state::text AS state, l.lane, l.priority,
       db.readable(l.due_at) AS due_at, NULL::timestamptz AS finished_at, l.started_at,
       l.attempt, l.worker, p.fraction AS progress, p.message, l.reason
FROM (SELECT i.* FROM engine.live AS i WHERE i.state = 'running' LIMIT $6) AS l
LEFT JOIN engine.progress AS p ON p.job_id = l.id AND p.token = l.token
WHERE l.id < $4 AND ($1::text IS NULL OR l.kind = $1) AND ($2::text IS NULL OR l.lane = $2)
  AND ($3::text IS NULL OR l.key ^@ $3)
ORDER BY l.id DESC LIMIT $5;

-- name: list_any
SELECT f.id, f.kind, f.key, f.state, coalesce(f.lane, e.lane) AS lane, f.priority, f.due_at,
       f.finished_at, f.started_at, coalesce(f.attempt, e.attempt) AS attempt, f.worker, f.progress,
       f.message, f.reason
FROM (
    SELECT j.id, j.kind, j.key, coalesce(j.state, l.state)::text AS state, l.lane, l.priority,
           db.readable(l.due_at) AS due_at, j.finished_at, l.started_at, l.attempt, l.worker,
           p.fraction AS progress, p.message, l.reason, j.token
    FROM (
        SELECT i.* FROM engine.jobs AS i WHERE i.id < $2 ORDER BY i.id DESC LIMIT $4
    ) AS j
    LEFT JOIN engine.live AS l ON l.id = j.id
    LEFT JOIN engine.progress AS p ON p.job_id = l.id AND p.token = l.token
    WHERE ($1::text IS NULL OR coalesce(j.state, l.state) = $1::text::engine.job_state)
    ORDER BY j.id DESC LIMIT $3
) AS f
LEFT JOIN LATERAL engine.ending(f.id, f.finished_at, f.token) AS e ON f.finished_at IS NOT NULL
ORDER BY f.id DESC;

-- name: list_by_key
SELECT f.id, f.kind, f.key, f.state, coalesce(f.lane, e.lane) AS lane, f.priority, f.due_at,
       f.finished_at, f.started_at, coalesce(f.attempt, e.attempt) AS attempt, f.worker, f.progress,
       f.message, f.reason
FROM (
    SELECT j.id, j.kind, j.key, coalesce(j.state, l.state)::text AS state, l.lane, l.priority,
           db.readable(l.due_at) AS due_at, j.finished_at, l.started_at, l.attempt, l.worker,
           p.fraction AS progress, p.message, l.reason, j.token
    FROM (
        SELECT i.* FROM engine.jobs AS i
        WHERE i.kind = $1 AND i.key >= $2 AND i.key < $2 || chr(1114111)
          AND i.key > coalesce((SELECT c.key FROM engine.jobs AS c WHERE c.id = $4), '')
        ORDER BY i.key LIMIT $6
    ) AS j
    LEFT JOIN engine.live AS l ON l.id = j.id
    LEFT JOIN engine.progress AS p ON p.job_id = l.id AND p.token = l.token
    WHERE ($3::text IS NULL OR coalesce(j.state, l.state) = $3::text::engine.job_state)
    ORDER BY j.key LIMIT $5
) AS f
LEFT JOIN LATERAL engine.ending(f.id, f.finished_at, f.token) AS e ON f.finished_at IS NOT NULL
ORDER BY f.key;

-- name: kinds_known
WITH RECURSIVE known AS (
    (SELECT j.kind FROM engine.jobs AS j ORDER BY j.kind LIMIT 1)
    UNION ALL
    SELECT (SELECT j.kind FROM engine.jobs AS j WHERE j.kind > k.kind ORDER BY j.kind LIMIT 1)
    FROM known AS k WHERE k.kind IS NOT NULL
)
SELECT k.kind::text AS kind FROM known AS k WHERE k.kind IS NOT NULL LIMIT 1000;

-- name: reach_of_live
SELECT i.id FROM engine.live AS i
WHERE i.id < $1 AND (i.state = $2::text::engine.job_state OR $2 IS NULL)
ORDER BY i.id DESC OFFSET $3 LIMIT 1;

-- name: reach_of_jobs
SELECT i.id FROM engine.jobs AS i WHERE i.id < $1 ORDER BY i.id DESC OFFSET $2 LIMIT 1;

-- name: reach_of_keys
SELECT i.id FROM engine.jobs AS i
WHERE i.kind = $1 AND i.key >= $2 AND i.key < $2 || chr(1114111)
  AND i.key > coalesce((SELECT c.key FROM engine.jobs AS c WHERE c.id = $3), '')
ORDER BY i.key OFFSET $4 LIMIT 1;

-- name: job
SELECT j.id, j.kind::text AS kind, j.key::text AS key, coalesce(j.state, l.state)::text AS state,
       coalesce(l.lane, e.lane) AS lane, l.priority, l.version,
       db.readable(l.due_at) AS due_at, db.readable(l.first_due_at) AS first_due_at,
       db.readable(l.deadline_at) AS deadline_at, j.enqueued_at, l.started_at, j.finished_at,
       coalesce(l.token, j.token) AS token,
       coalesce(l.attempt, e.attempt) AS attempt, l.failures, l.worker, w.name AS worker_name,
       l.group_name, l.anchor, l.anchor_offset, coalesce(l.cancelling, false) AS cancelling,
       l.reason, p.fraction AS progress, p.message, p.reported_at,
       coalesce(l.payload, d.job -> 'payload') AS payload, d.discarded_at, d.discard_reason,
       coalesce(d.repaired, false) AS repaired
FROM engine.jobs AS j
LEFT JOIN engine.live AS l ON l.id = j.id
LEFT JOIN engine.dead AS d ON d.job_id = j.id AND j.state = 'dead'
LEFT JOIN LATERAL engine.ending(j.id, j.finished_at, j.token) AS e ON j.finished_at IS NOT NULL
LEFT JOIN engine.workers AS w ON w.id = l.worker
LEFT JOIN engine.progress AS p ON p.job_id = l.id AND p.token = l.token
WHERE j.id = $1;

-- name: job_id
SELECT j.id FROM engine.jobs AS j WHERE j.kind = $1 AND j.key = $2;

-- name: job_attempts
SELECT a.attempt, a.outcome::text AS outcome, db.readable(a.due_at) AS due_at, a.started_at,
       a.finished_at, a.worker,
       w.name AS worker_name, a.token, a.priority, a.error_class, a.error, a.trace, a.payload,
       a.result
FROM engine.attempts AS a
LEFT JOIN engine.workers AS w ON w.id = a.worker
WHERE a.job_id = $1
ORDER BY a.finished_at DESC, a.token DESC LIMIT $2;

-- name: job_requires
SELECT j.id, j.kind::text AS kind, j.key::text AS key, coalesce(j.state, l.state)::text AS state, r.met
FROM engine.prerequisites AS r
JOIN engine.jobs AS j ON j.id = r.requires_id
LEFT JOIN engine.live AS l ON l.id = j.id
WHERE r.job_id = $1 ORDER BY j.id LIMIT $2;

-- name: job_awaited_by
SELECT j.id, j.kind::text AS kind, j.key::text AS key, coalesce(j.state, l.state)::text AS state, r.met
FROM engine.prerequisites AS r
JOIN engine.jobs AS j ON j.id = r.job_id
LEFT JOIN engine.live AS l ON l.id = j.id
WHERE r.requires_id = $1 ORDER BY j.id LIMIT $2;

-- name: workers
SELECT w.id, w.name, w.lanes,
       CASE WHEN w.ended_at IS NOT NULL THEN 'ended'
            WHEN w.lost OR w.lease_until < db.now() THEN 'lost'
            WHEN w.idle THEN 'idle' ELSE 'busy' END AS state,
       w.started_at, w.beat_at, db.readable(w.lease_until) AS lease_until, w.ended_at,
       (SELECT count(*) FROM engine.live AS l WHERE l.worker = w.id AND l.state = 'running')
           AS running
FROM engine.workers AS w
WHERE w.ended_at IS NULL OR w.ended_at > db.now() - interval '1 hour'
ORDER BY w.ended_at IS NOT NULL, w.id DESC LIMIT $1;

-- name: workers_alive_of
SELECT w.id FROM engine.workers AS w
WHERE w.id = ANY ($1::bigint[]) AND w.ended_at IS NULL AND NOT w.lost AND w.lease_until >= db.now();

-- name: workers_alive
SELECT count(*) FROM engine.workers AS w
WHERE w.ended_at IS NULL AND NOT w.lost AND w.lease_until >= db.now();

-- name: count_live
SELECT lane, state, jobs, capped FROM engine.count_live($1);

-- name: backlog
SELECT overdue, db.readable(oldest_due) AS oldest_due, db.now() AS now FROM engine.backlog($1);

-- name: recent_attempts
SELECT kind, succeeded, failed, lost, died, p95, oldest FROM engine.recent_attempts($1, $2);

-- name: count_dead
SELECT count(*) FROM (SELECT 1 FROM engine.dead AS d WHERE d.discarded_at IS NULL LIMIT $1) AS d;

-- name: sizes
SELECT greatest(c.reltuples, 0)::bigint AS jobs, pg_total_relation_size('engine.live') AS live_bytes
FROM pg_class AS c WHERE c.oid = 'engine.jobs'::regclass;

-- name: oldest_transaction
-- What keeps vacuum from removing anything that died since: as far as this role may see it.
SELECT coalesce(date_part('epoch', max(clock_timestamp() - a.xact_start)), 0) AS seconds
FROM pg_stat_activity AS a
WHERE a.datname = current_database() AND a.backend_type = 'client backend'
  AND a.pid <> pg_backend_pid() AND (a.backend_xmin IS NOT NULL OR a.backend_xid IS NOT NULL);

-- name: take_chore
SELECT engine.take_chore($1, $2);

-- --- what operators do -------------------------------------------------------------------------

-- name: cancel
SELECT engine.cancel($1, $2)::text;

-- name: retry
SELECT state::text AS state, changed FROM engine.retry($1);

-- name: revive
SELECT engine.revive($1, $2, $3::jsonb, $4::jsonb);

-- name: requeue
SELECT engine.requeue($1::bigint[]);

-- name: discard
SELECT engine.discard($1::bigint[], $2);

-- name: set_anchor
SELECT engine.set_anchor($1, $2);

-- name: cancel_anchor
SELECT engine.cancel_anchor($1, $2);

-- name: list_dead
SELECT d.job_id AS id, d.kind, d.key, d.lane, d.died_at, d.error_class, d.error, d.attempt,
       d.repaired
FROM (
    SELECT i.* FROM engine.dead AS i
    WHERE i.discarded_at IS NULL AND ($6::timestamptz IS NULL OR (i.died_at, i.job_id) < ($6, $7))
    ORDER BY i.died_at DESC, i.job_id DESC LIMIT $9
) AS d
WHERE ($1::text IS NULL OR d.kind = $1) AND ($2::text IS NULL OR d.lane = $2)
  AND ($3::text IS NULL OR d.error_class = $3)
  AND ($4::text IS NULL OR strpos(lower(d.error), lower($4)) > 0 OR d.key ^@ $4)
  AND ($5::timestamptz IS NULL OR d.died_at >= $5)
ORDER BY d.died_at DESC, d.job_id DESC LIMIT $8;

-- name: reach_of_dead
SELECT i.died_at, i.job_id FROM engine.dead AS i
WHERE i.discarded_at IS NULL AND ($1::timestamptz IS NULL OR (i.died_at, i.job_id) < ($1, $2))
ORDER BY i.died_at DESC, i.job_id DESC OFFSET $3 LIMIT 1;

-- name: alerts
SELECT a.name, a.summary, a.value, a.threshold, a.calm, a.raised_at, a.seen_at, a.cleared_at
FROM engine.alerts AS a ORDER BY a.cleared_at IS NOT NULL, a.raised_at DESC, a.name;

-- name: raise_alert
INSERT INTO engine.alerts AS a (name, raised_at, seen_at, value, threshold, summary)
SELECT $1, n.now, n.now, $2, $3, $4 FROM (SELECT db.now()) AS n(now)
ON CONFLICT (name) DO UPDATE SET
    raised_at = CASE WHEN a.cleared_at IS NULL THEN a.raised_at ELSE excluded.raised_at END,
    seen_at = excluded.seen_at, value = excluded.value, threshold = excluded.threshold,
    summary = excluded.summary, calm = 0, cleared_at = NULL;

-- name: calm_alert
UPDATE engine.alerts SET value = $2, calm = $3, cleared_at = CASE WHEN $4 THEN db.now() END
WHERE name = $1 AND cleared_at IS NULL;

-- name: events_since
SELECT e.id::text AS id, e.at, e.type, e.aggregate, e.sequence, e.data
FROM engine.events AS e
WHERE e.at >= $1 AND e.id NOT IN (SELECT s.id FROM unnest($2::uuid[]) AS s(id))
ORDER BY e.at, e.id LIMIT $3;

-- name: events_horizon
-- What a running transaction has written is not older than this, as far as this role may see them.
SELECT db.now() - greatest($1::interval, max(clock_timestamp() - a.xact_start))
FROM pg_stat_activity AS a
WHERE a.datname = current_database() AND a.backend_xid IS NOT NULL AND a.pid <> pg_backend_pid();

-- name: events_between
SELECT e.id FROM engine.events AS e WHERE e.id BETWEEN $1 AND $2 ORDER BY e.id LIMIT $3;

-- name: event_at
SELECT e.at FROM engine.events AS e WHERE e.id = $1::text::uuid;

-- name: clock
SELECT db.now();
