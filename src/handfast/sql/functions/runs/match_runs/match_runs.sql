-- What a person sees. Whether a run waits or is being worked on is the job's state, and is read from
-- there. A run whose job is gone without having ended it (somebody worked on the engine's tables by
-- hand) has failed.
CREATE OR REPLACE VIEW handfast_runs.match_runs AS
SELECT r.run_id,
       r.startup_id,
       r.input_url,
       r.canonical_url,
       CASE
           WHEN r.ended IS NOT NULL THEN r.ended
           WHEN l.id IS NULL THEN 'error'
           WHEN l.state = 'running' THEN 'processing'
           ELSE 'queued'
       END::handfast.match_run_status AS status,
       CASE
           WHEN r.ended IS NULL AND l.state IS DISTINCT FROM 'running' THEN 'resolve'
           ELSE r.step
       END::handfast.match_run_step AS step,
       r.match_count,
       CASE WHEN r.ended IS NULL AND l.id IS NULL THEN 'RUN_FAILED' ELSE r.error_code END AS error_code,
       CASE
           WHEN r.ended IS NULL AND l.id IS NULL THEN 'Its job is gone. Start it again.'
           ELSE r.error_message
       END AS error_message,
       CASE WHEN l.state = 'running' THEN coalesce(l.worker_name, r.locked_by) END AS locked_by,
       CASE WHEN l.state = 'running' THEN l.lease_until END AS lock_expires_at,
       r.created_at,
       r.updated_at,
       r.corpus_version
FROM handfast_runs.records AS r
LEFT JOIN handfast_engine.live_jobs AS l ON l.id = r.job_id AND r.ended IS NULL;

COMMENT ON VIEW handfast_runs.match_runs IS 'one row per match run';
