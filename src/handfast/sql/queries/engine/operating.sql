-- Statements of the engine: operating.

-- name: list_live
SELECT l.id, l.kind, l.key, l.state::text AS state, l.lane, l.priority,
       handfast_db.readable(l.due_at) AS due_at, NULL::timestamptz AS finished_at, l.started_at,
       l.attempt, l.worker, p.fraction AS progress, p.message, l.reason
FROM (
    SELECT i.* FROM handfast_engine.live AS i
    WHERE i.id < $5 AND (i.state = $3::text::handfast_engine.job_state OR $3 IS NULL)
    ORDER BY i.id DESC LIMIT $7
) AS l
LEFT JOIN handfast_engine.progress AS p ON p.job_id = l.id AND p.token = l.token
WHERE ($1::text IS NULL OR l.kind = $1) AND ($2::text IS NULL OR l.lane = $2)
  AND ($4::text IS NULL OR l.key ^@ $4)
ORDER BY l.id DESC LIMIT $6;

-- name: list_running
-- As many as workers can have at a time, by an index of their own, which has no order of ids: all of
-- them are read, and none of the millions that wait.
WITH running AS MATERIALIZED (
    SELECT i.id, i.kind, i.key, i.state, i.lane, i.priority, i.due_at, i.started_at, i.attempt,
           i.worker, i.token, i.reason
    FROM handfast_engine.live AS i WHERE i.state = 'running'
)
SELECT l.id, l.kind, l.key, l.state::text AS state, l.lane, l.priority,
       handfast_db.readable(l.due_at) AS due_at, NULL::timestamptz AS finished_at, l.started_at,
       l.attempt, l.worker, p.fraction AS progress, p.message, l.reason
FROM (
    SELECT r.* FROM running AS r
    WHERE r.id < $4 AND ($1::text IS NULL OR r.kind = $1) AND ($2::text IS NULL OR r.lane = $2)
      AND ($3::text IS NULL OR r.key ^@ $3)
    ORDER BY r.id DESC LIMIT $5
) AS l
LEFT JOIN handfast_engine.progress AS p ON p.job_id = l.id AND p.token = l.token
ORDER BY l.id DESC;

-- name: list_any
SELECT f.id, f.kind, f.key, f.state, coalesce(f.lane, e.lane) AS lane, f.priority, f.due_at,
       f.finished_at, f.started_at, coalesce(f.attempt, e.attempt) AS attempt, f.worker, f.progress,
       f.message, f.reason
FROM (
    SELECT j.id, j.kind, j.key, coalesce(j.state, l.state)::text AS state, l.lane, l.priority,
           handfast_db.readable(l.due_at) AS due_at, j.finished_at, l.started_at, l.attempt, l.worker,
           p.fraction AS progress, p.message, l.reason, j.token
    FROM (
        SELECT i.* FROM handfast_engine.jobs AS i WHERE i.id < $2 ORDER BY i.id DESC LIMIT $4
    ) AS j
    LEFT JOIN handfast_engine.live AS l ON l.id = j.id
    LEFT JOIN handfast_engine.progress AS p ON p.job_id = l.id AND p.token = l.token
    WHERE ($1::text IS NULL OR coalesce(j.state, l.state) = $1::text::handfast_engine.job_state)
    ORDER BY j.id DESC LIMIT $3
) AS f
LEFT JOIN LATERAL handfast_engine.ending(f.id, f.finished_at, f.token) AS e ON f.finished_at IS NOT NULL
ORDER BY f.id DESC;

-- name: list_by_key
SELECT f.id, f.kind, f.key, f.state, coalesce(f.lane, e.lane) AS lane, f.priority, f.due_at,
       f.finished_at, f.started_at, coalesce(f.attempt, e.attempt) AS attempt, f.worker, f.progress,
       f.message, f.reason
FROM (
    SELECT j.id, j.kind, j.key, coalesce(j.state, l.state)::text AS state, l.lane, l.priority,
           handfast_db.readable(l.due_at) AS due_at, j.finished_at, l.started_at, l.attempt, l.worker,
           p.fraction AS progress, p.message, l.reason, j.token
    FROM (
        SELECT i.* FROM handfast_engine.jobs AS i
        WHERE i.kind = $1 AND i.key >= $2 AND i.key < $2 || chr(1114111)
          AND i.key > coalesce((SELECT c.key FROM handfast_engine.jobs AS c WHERE c.id = $4), '')
        ORDER BY i.key LIMIT $6
    ) AS j
    LEFT JOIN handfast_engine.live AS l ON l.id = j.id
    LEFT JOIN handfast_engine.progress AS p ON p.job_id = l.id AND p.token = l.token
    WHERE ($3::text IS NULL OR coalesce(j.state, l.state) = $3::text::handfast_engine.job_state)
    ORDER BY j.key LIMIT $5
) AS f
LEFT JOIN LATERAL handfast_engine.ending(f.id, f.finished_at, f.token) AS e ON f.finished_at IS NOT NULL
ORDER BY f.key;

-- name: kinds_known
WITH RECURSIVE known AS (
    (SELECT j.kind FROM handfast_engine.jobs AS j ORDER BY j.kind LIMIT 1)
    UNION ALL
    SELECT (SELECT j.kind FROM handfast_engine.jobs AS j WHERE j.kind > k.kind ORDER BY j.kind LIMIT 1)
    FROM known AS k WHERE k.kind IS NOT NULL
)
SELECT k.kind::text AS kind FROM known AS k WHERE k.kind IS NOT NULL LIMIT 1000;

-- name: reach_of_live
SELECT i.id FROM handfast_engine.live AS i
WHERE i.id < $1 AND (i.state = $2::text::handfast_engine.job_state OR $2 IS NULL)
ORDER BY i.id DESC OFFSET $3 LIMIT 1;

-- name: reach_of_jobs
SELECT i.id FROM handfast_engine.jobs AS i WHERE i.id < $1 ORDER BY i.id DESC OFFSET $2 LIMIT 1;

-- name: reach_of_keys
SELECT i.id FROM handfast_engine.jobs AS i
WHERE i.kind = $1 AND i.key >= $2 AND i.key < $2 || chr(1114111)
  AND i.key > coalesce((SELECT c.key FROM handfast_engine.jobs AS c WHERE c.id = $3), '')
ORDER BY i.key OFFSET $4 LIMIT 1;

-- name: job
SELECT j.id, j.kind::text AS kind, j.key::text AS key, coalesce(j.state, l.state)::text AS state,
       coalesce(l.lane, e.lane) AS lane, l.priority, l.version,
       handfast_db.readable(l.due_at) AS due_at, handfast_db.readable(l.first_due_at) AS first_due_at,
       handfast_db.readable(l.deadline_at) AS deadline_at, j.enqueued_at, l.started_at, j.finished_at,
       coalesce(l.token, j.token) AS token,
       coalesce(l.attempt, e.attempt) AS attempt, l.failures, l.worker, w.name AS worker_name,
       l.group_name, l.anchor, l.anchor_offset, coalesce(l.cancelling, false) AS cancelling,
       coalesce(l.reason, CASE WHEN l.state = 'ready' AND NOT EXISTS (
           SELECT 1 FROM handfast_engine.workers AS o
           WHERE o.ended_at IS NULL AND NOT o.lost AND o.lease_until >= handfast_db.now()
             AND l.lane = ANY (o.lanes) AND (o.kinds IS NULL OR l.kind = ANY (o.kinds))
       ) THEN 'no registered worker takes this kind on this lane' END) AS reason,
       p.fraction AS progress, p.message, p.reported_at,
       coalesce(l.payload, d.job -> 'payload') AS payload, d.discarded_at, d.discard_reason,
       coalesce(d.repaired, false) AS repaired
FROM handfast_engine.jobs AS j
LEFT JOIN handfast_engine.live AS l ON l.id = j.id
LEFT JOIN handfast_engine.dead AS d ON d.job_id = j.id AND j.state = 'dead'
LEFT JOIN LATERAL handfast_engine.ending(j.id, j.finished_at, j.token) AS e ON j.finished_at IS NOT NULL
LEFT JOIN handfast_engine.workers AS w ON w.id = l.worker
LEFT JOIN handfast_engine.progress AS p ON p.job_id = l.id AND p.token = l.token
WHERE j.id = $1;

-- name: job_id
SELECT j.id FROM handfast_engine.jobs AS j WHERE j.kind = $1 AND j.key = $2;

-- name: job_attempts
SELECT a.attempt, a.outcome::text AS outcome, handfast_db.readable(a.due_at) AS due_at, a.started_at,
       a.finished_at, a.worker,
       w.name AS worker_name, a.token, a.priority, a.error_class, a.error, a.trace, a.payload,
       a.result
FROM handfast_engine.attempts AS a
LEFT JOIN handfast_engine.workers AS w ON w.id = a.worker
WHERE a.job_id = $1
ORDER BY a.finished_at DESC, a.token DESC LIMIT $2;

-- name: job_requires
SELECT j.id, j.kind::text AS kind, j.key::text AS key, coalesce(j.state, l.state)::text AS state, r.met
FROM handfast_engine.prerequisites AS r
JOIN handfast_engine.jobs AS j ON j.id = r.requires_id
LEFT JOIN handfast_engine.live AS l ON l.id = j.id
WHERE r.job_id = $1 ORDER BY j.id LIMIT $2;

-- name: job_awaited_by
SELECT j.id, j.kind::text AS kind, j.key::text AS key, coalesce(j.state, l.state)::text AS state, r.met
FROM handfast_engine.prerequisites AS r
JOIN handfast_engine.jobs AS j ON j.id = r.job_id
LEFT JOIN handfast_engine.live AS l ON l.id = j.id
WHERE r.requires_id = $1 ORDER BY j.id LIMIT $2;

-- name: workers
-- The column idle says who wants to be woken; a worker that runs a job and has room for more does.
SELECT w.id, w.name, w.lanes,
       CASE WHEN w.ended_at IS NOT NULL THEN 'ended'
            WHEN w.lost OR w.lease_until < handfast_db.now() THEN 'lost'
            WHEN w.idle AND r.running = 0 THEN 'idle' ELSE 'busy' END AS state,
       w.started_at, w.beat_at, handfast_db.readable(w.lease_until) AS lease_until, w.ended_at, r.running
FROM handfast_engine.workers AS w
CROSS JOIN LATERAL (
    SELECT count(*) AS running FROM handfast_engine.live AS l WHERE l.worker = w.id AND l.state = 'running'
) AS r
WHERE w.ended_at IS NULL OR w.ended_at > handfast_db.now() - interval '1 hour'
ORDER BY w.ended_at IS NOT NULL, w.id DESC LIMIT $1;

-- name: workers_alive_of
SELECT w.id FROM handfast_engine.workers AS w
WHERE w.id = ANY ($1::bigint[]) AND w.ended_at IS NULL AND NOT w.lost AND w.lease_until >= handfast_db.now();

-- name: workers_alive
SELECT count(*) FROM handfast_engine.workers AS w
WHERE w.ended_at IS NULL AND NOT w.lost AND w.lease_until >= handfast_db.now();

-- name: count_live
SELECT lane, state, jobs, capped FROM handfast_engine.count_live($1);

-- name: backlog
SELECT overdue, handfast_db.readable(oldest_due) AS oldest_due, handfast_db.now() AS now FROM handfast_engine.backlog($1);

-- name: recent_attempts
SELECT kind, succeeded, failed, lost, died, p95, oldest FROM handfast_engine.recent_attempts($1, $2);

-- name: count_dead
SELECT count(*) FROM (SELECT 1 FROM handfast_engine.dead AS d WHERE d.discarded_at IS NULL LIMIT $1) AS d;

-- name: sizes
SELECT greatest(c.reltuples, 0)::bigint AS jobs, pg_total_relation_size('handfast_engine.live') AS live_bytes
FROM pg_class AS c WHERE c.oid = 'handfast_engine.jobs'::regclass;

-- name: oldest_transaction
-- What keeps vacuum from removing anything that died since: as far as this role may see it.
SELECT coalesce(date_part('epoch', max(clock_timestamp() - a.xact_start)), 0) AS seconds
FROM pg_stat_activity AS a
WHERE a.datname = current_database() AND a.backend_type = 'client backend'
  AND a.pid <> pg_backend_pid() AND (a.backend_xmin IS NOT NULL OR a.backend_xid IS NOT NULL);

-- name: cancel
SELECT handfast_engine.cancel($1, $2)::text;

-- name: retry
SELECT state::text AS state, changed FROM handfast_engine.retry($1);

-- name: revive
SELECT handfast_engine.revive($1, $2, $3::jsonb, $4::jsonb);

-- name: requeue
SELECT handfast_engine.requeue($1::bigint[]);

-- name: discard
SELECT handfast_engine.discard($1::bigint[], $2);

-- name: set_anchor
SELECT handfast_engine.set_anchor($1, $2);

-- name: cancel_anchor
SELECT handfast_engine.cancel_anchor($1, $2);

-- name: list_dead
-- Of all kinds, along the time at which they died: places are bounds of the index, whatever they are.
SELECT d.job_id AS id, d.kind, d.key, d.lane, d.died_at, d.error_class, d.error, d.attempt,
       d.repaired
FROM (
    SELECT i.* FROM handfast_engine.dead AS i
    WHERE i.discarded_at IS NULL AND i.died_at >= coalesce($5::timestamptz, '-infinity')
      AND (i.died_at, i.job_id) < (coalesce($6::timestamptz, 'infinity'), coalesce($7::bigint, 9223372036854775807))
    ORDER BY i.died_at DESC, i.job_id DESC LIMIT $9
) AS d
WHERE $1::text IS NULL AND ($2::text IS NULL OR d.lane = $2)
  AND ($3::text IS NULL OR d.error_class = $3)
  AND ($4::text IS NULL OR strpos(lower(d.error), lower($4)) > 0 OR d.key ^@ $4)
ORDER BY d.died_at DESC, d.job_id DESC LIMIT $8;

-- name: list_dead_of_kind
SELECT d.job_id AS id, d.kind, d.key, d.lane, d.died_at, d.error_class, d.error, d.attempt,
       d.repaired
FROM (
    SELECT i.* FROM handfast_engine.dead AS i
    WHERE i.kind = $1 AND i.discarded_at IS NULL AND i.died_at >= coalesce($5::timestamptz, '-infinity')
      AND (i.died_at, i.job_id) < (coalesce($6::timestamptz, 'infinity'), coalesce($7::bigint, 9223372036854775807))
    ORDER BY i.died_at DESC, i.job_id DESC LIMIT $9
) AS d
WHERE ($2::text IS NULL OR d.lane = $2)
  AND ($3::text IS NULL OR d.error_class = $3)
  AND ($4::text IS NULL OR strpos(lower(d.error), lower($4)) > 0 OR d.key ^@ $4)
ORDER BY d.died_at DESC, d.job_id DESC LIMIT $8;

-- name: reach_of_dead
SELECT i.died_at, i.job_id FROM handfast_engine.dead AS i
WHERE $1::text IS NULL AND i.discarded_at IS NULL AND i.died_at >= coalesce($2::timestamptz, '-infinity')
  AND (i.died_at, i.job_id) < (coalesce($3::timestamptz, 'infinity'), coalesce($4::bigint, 9223372036854775807))
ORDER BY i.died_at DESC, i.job_id DESC OFFSET $5 LIMIT 1;

-- name: reach_of_dead_of_kind
SELECT i.died_at, i.job_id FROM handfast_engine.dead AS i
WHERE i.kind = $1 AND i.discarded_at IS NULL AND i.died_at >= coalesce($2::timestamptz, '-infinity')
  AND (i.died_at, i.job_id) < (coalesce($3::timestamptz, 'infinity'), coalesce($4::bigint, 9223372036854775807))
ORDER BY i.died_at DESC, i.job_id DESC OFFSET $5 LIMIT 1;

-- name: alerts
SELECT a.name, a.summary, a.value, a.threshold, a.calm, a.raised_at, a.seen_at, a.cleared_at
FROM handfast_engine.alerts AS a ORDER BY a.cleared_at IS NOT NULL, a.raised_at DESC, a.name;

-- name: raise_alert
INSERT INTO handfast_engine.alerts AS a (name, raised_at, seen_at, value, threshold, summary)
SELECT $1, n.now, n.now, $2, $3, $4 FROM (SELECT handfast_db.now()) AS n(now)
ON CONFLICT (name) DO UPDATE SET
    raised_at = CASE WHEN a.cleared_at IS NULL THEN a.raised_at ELSE excluded.raised_at END,
    seen_at = excluded.seen_at, value = excluded.value, threshold = excluded.threshold,
    summary = excluded.summary, calm = 0, cleared_at = NULL;

-- name: calm_alert
UPDATE handfast_engine.alerts SET value = $2, calm = $3, cleared_at = CASE WHEN $4 THEN handfast_db.now() END
WHERE name = $1 AND cleared_at IS NULL;
