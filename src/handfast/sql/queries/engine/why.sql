-- Statements of the engine: why a job does not run.

-- name: why
-- One row by its key, and a few bounded looks around it; each counts no further than it has to.
SELECT coalesce(j.state, l.state)::text AS state, j.kind::text AS kind, l.lane::text AS lane,
       handfast_db.readable(l.due_at) AS due_at, l.failures, l.anchor, l.reason,
       coalesce(l.cancelling, false) AS cancelling, l.worker,
       handfast_db.readable(coalesce(l.lease_until, w.lease_until)) AS lease_until,
       coalesce(
           l.state = 'running' AND (w.lost OR coalesce(l.lease_until, w.lease_until) < handfast_db.now()),
           false
       ) AS lost,
       g.name AS group_name, g.max_running AS group_max,
       (
           SELECT count(*) FROM (
               SELECT 1 FROM handfast_engine.live AS r
               WHERE r.group_name = g.name AND r.state = 'running' LIMIT g.max_running
           ) AS counted
       ) AS group_running,
       s.name AS shared_name, s.max_running AS shared_max,
       (
           SELECT count(*) FROM (
               SELECT 1 FROM handfast_engine.groups AS m
               JOIN handfast_engine.live AS r ON r.group_name = m.name AND r.state = 'running'
               WHERE m.shares = s.name LIMIT s.max_running
           ) AS counted
       ) AS shared_running,
       p.paused_at AS lane_paused_at, p.paused_by AS lane_paused_by, p.reason AS lane_pause_reason,
       k.paused_at AS kind_paused_at, k.paused_by AS kind_paused_by, k.reason AS kind_pause_reason,
       EXISTS (
           SELECT 1 FROM handfast_engine.workers AS o
           WHERE o.ended_at IS NULL AND NOT o.lost AND o.lease_until >= handfast_db.now()
       ) AS any_worker,
       EXISTS (
           SELECT 1 FROM handfast_engine.workers AS o
           WHERE o.ended_at IS NULL AND NOT o.lost AND o.lease_until >= handfast_db.now()
             AND l.lane = ANY (o.lanes)
       ) AS lane_worker,
       EXISTS (
           SELECT 1 FROM handfast_engine.workers AS o
           WHERE o.ended_at IS NULL AND NOT o.lost AND o.lease_until >= handfast_db.now()
             AND l.lane = ANY (o.lanes) AND (o.kinds IS NULL OR l.kind = ANY (o.kinds))
       ) AS kind_worker,
       CASE WHEN l.state = 'ready' AND l.group_name IS NULL THEN (
           SELECT count(*) FROM (
               SELECT 1 FROM handfast_engine.live AS b
               WHERE b.state = 'ready' AND b.group_name IS NULL AND b.lane = l.lane AND b.kind = l.kind
                 AND b.version = l.version
                 AND (b.priority, b.due_at, b.id) < (l.priority, l.due_at, l.id)
               LIMIT $2
           ) AS counted
       ) END AS before,
       d.discard_reason, handfast_db.now() AS now
FROM handfast_engine.jobs AS j
LEFT JOIN handfast_engine.live AS l ON l.id = j.id
LEFT JOIN handfast_engine.workers AS w ON w.id = l.worker
LEFT JOIN handfast_engine.groups AS g ON g.name = l.group_name
LEFT JOIN handfast_engine.groups AS s ON s.name = g.shares
LEFT JOIN handfast_engine.pauses AS p ON p.what = 'lane' AND p.name = l.lane
LEFT JOIN handfast_engine.pauses AS k ON k.what = 'kind' AND k.name = l.kind
LEFT JOIN handfast_engine.dead AS d ON d.job_id = j.id AND j.state = 'dead'
WHERE j.id = $1;

-- name: job_events
-- What was told of a job, the newest first.
SELECT e.id, e.at, e.type::text AS type, e.sequence, e.data
FROM handfast_engine.events AS e WHERE e.aggregate = $1 ORDER BY e.sequence DESC LIMIT $2;
