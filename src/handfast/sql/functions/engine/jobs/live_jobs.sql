-- What an unfinished job is doing and who has it, for other schemas (see handfast_engine.known_jobs).
CREATE OR REPLACE VIEW handfast_engine.live_jobs AS
SELECT l.id, l.kind, l.key, l.state, l.token, l.lane, l.priority, l.due_at, l.attempt, l.failures, l.reason,
       l.started_at, l.anchor, l.worker, w.name AS worker_name,
       coalesce(l.lease_until, w.lease_until) AS lease_until
FROM handfast_engine.live AS l
LEFT JOIN handfast_engine.workers AS w ON w.id = l.worker;

COMMENT ON VIEW handfast_engine.live_jobs IS 'unfinished jobs, for other schemas';
