-- What a person sees of runs, and two things that nobody can forget: a run ends with its job, and
-- what has ended stays as it ended.

-- Whether a run waits or is being worked on is the job's state, and is read from there. A run whose
-- job is gone without having ended it (somebody worked on the engine's tables by hand) has failed.
CREATE VIEW runs.match_runs AS
SELECT r.run_id,
       r.startup_id,
       r.input_url,
       r.canonical_url,
       CASE
           WHEN r.ended IS NOT NULL THEN r.ended
           WHEN l.id IS NULL THEN 'error'
           WHEN l.state = 'running' THEN 'processing'
           ELSE 'queued'
       END::runs.match_run_status AS status,
       CASE
           WHEN r.ended IS NULL AND l.state IS DISTINCT FROM 'running' THEN 'resolve'
           ELSE r.step
       END::runs.match_run_step AS step,
       r.match_count,
       CASE WHEN r.ended IS NULL AND l.id IS NULL THEN 'RUN_FAILED' ELSE r.error_code END AS error_code,
       CASE
           WHEN r.ended IS NULL AND l.id IS NULL THEN 'Its job is gone. Start it again.'
           ELSE r.error_message
       END AS error_message,
       CASE WHEN l.state = 'running' THEN coalesce(w.name, r.locked_by) END AS locked_by,
       CASE WHEN l.state = 'running' THEN coalesce(l.lease_until, w.lease_until) END
           AS lock_expires_at,
       r.created_at,
       r.updated_at,
       r.corpus_version
FROM runs.records AS r
LEFT JOIN engine.live AS l ON l.id = r.job_id AND r.ended IS NULL
LEFT JOIN engine.workers AS w ON w.id = l.worker;

COMMENT ON VIEW runs.match_runs IS 'one row per match run';

-- The body is in functions/runs/end_with_job.sql, which every migrate applies; nothing can be missed
-- in between, because there is no run yet.
CREATE FUNCTION runs.end_with_job() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RETURN NULL;
END
$$;

-- A dead letter, or a job that an operator cancelled, ends its run in the same transaction. The
-- condition is what other kinds pay for it: one comparison, made only when a job ends.
CREATE TRIGGER jobs_end_runs AFTER UPDATE OF state ON engine.jobs FOR EACH ROW
WHEN (NEW.state > 'succeeded' AND NEW.kind = 'runs.match')  -- cancelled, skipped, dead
EXECUTE FUNCTION runs.end_with_job();

CREATE FUNCTION runs.refuse_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'run % has ended as % and stays so', OLD.run_id, OLD.ended
        USING ERRCODE = 'check_violation', CONSTRAINT = 'run_move', TABLE = TG_TABLE_NAME,
              SCHEMA = TG_TABLE_SCHEMA;
END
$$;

CREATE TRIGGER records_moves AFTER UPDATE ON runs.records FOR EACH ROW
WHEN (OLD.ended IS NOT NULL) EXECUTE FUNCTION runs.refuse_move();
