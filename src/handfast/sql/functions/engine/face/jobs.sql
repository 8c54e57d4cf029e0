-- Every job that is known, whatever it is doing. What an ended job leaves (lane, attempts, reason,
-- result) is read from its last attempt, as long as the history has it: pruned says when it has not.
-- In subqueries, so that who does not ask for them does not pay.
CREATE OR REPLACE VIEW handfast.jobs AS
SELECT j.id, j.kind::text AS kind, j.key::text AS key, coalesce(j.state, l.state)::text AS state,
       coalesce(l.lane::text, d.lane, (
           SELECT a.lane FROM handfast_engine.attempts AS a
           WHERE a.job_id = j.id AND a.finished_at = j.finished_at AND a.token = j.token LIMIT 1
       )) AS lane,
       l.priority::integer AS priority, l.due_at::timestamptz AS due_at,
       coalesce(l.attempt, d.attempt, (
           SELECT a.attempt FROM handfast_engine.attempts AS a
           WHERE a.job_id = j.id AND a.finished_at = j.finished_at AND a.token = j.token LIMIT 1
       )) AS attempts,
       l.failures,
       coalesce(l.reason, d.error, (
           SELECT a.error FROM handfast_engine.attempts AS a
           WHERE a.job_id = j.id AND a.finished_at = j.finished_at AND a.token = j.token LIMIT 1
       )) AS reason,
       coalesce(l.payload::jsonb, d.job -> 'payload', (
           SELECT a.payload FROM handfast_engine.attempts AS a
           WHERE a.job_id = j.id AND a.finished_at = j.finished_at AND a.token = j.token LIMIT 1
       )) AS payload,
       (
           SELECT a.result::jsonb FROM handfast_engine.attempts AS a
           WHERE a.job_id = j.id AND a.finished_at = j.finished_at AND a.token = j.token LIMIT 1
       ) AS result,
       p.fraction::double precision AS progress, p.message,
       coalesce(l.cancelling, false) AS cancelling,
       w.name AS worker, coalesce(l.lease_until, w.lease_until) AS lease_until,
       l.group_name, l.anchor, l.anchor_offset, l.deadline_at::timestamptz AS deadline_at,
       l.version::integer AS version, j.enqueued_at, l.started_at, j.finished_at,
       j.state IS NOT NULL AND d.job_id IS NULL AND NOT EXISTS (
           SELECT 1 FROM handfast_engine.attempts AS a
           WHERE a.job_id = j.id AND a.finished_at = j.finished_at AND a.token = j.token
       ) AS pruned
FROM handfast_engine.jobs AS j
LEFT JOIN handfast_engine.live AS l ON l.id = j.id
LEFT JOIN handfast_engine.dead AS d ON d.job_id = j.id AND j.state = 'dead'
LEFT JOIN handfast_engine.workers AS w ON w.id = l.worker
LEFT JOIN handfast_engine.progress AS p ON p.job_id = l.id AND p.token = l.token;

COMMENT ON VIEW handfast.jobs IS 'one row for each job, live or ended';
