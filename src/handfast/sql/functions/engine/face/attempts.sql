-- What happened, one row for each attempt that has ended, as long as the history has it.
CREATE OR REPLACE VIEW handfast.attempts AS
SELECT a.job_id, a.kind, a.attempt, a.outcome::text AS outcome, a.lane, a.due_at, a.started_at,
       a.finished_at, w.name AS worker, a.error_class, a.error, a.trace, a.result::jsonb AS result
FROM handfast_engine.attempts AS a
LEFT JOIN handfast_engine.workers AS w ON w.id = a.worker;

COMMENT ON VIEW handfast.attempts IS 'one row for each attempt that has ended';
