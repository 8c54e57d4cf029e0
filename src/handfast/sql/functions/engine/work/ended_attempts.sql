-- How attempts ended, for other schemas (see handfast_engine.known_jobs).
CREATE OR REPLACE VIEW handfast_engine.ended_attempts AS
SELECT a.job_id, a.token, a.attempt, a.outcome, a.started_at, a.finished_at, a.anchor_at, a.error_class,
       a.error
FROM handfast_engine.attempts AS a;

COMMENT ON VIEW handfast_engine.ended_attempts IS 'the history, for other schemas';
