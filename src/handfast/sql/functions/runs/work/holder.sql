-- The job of a run, if this worker holds it by this token; null if it does not, or not any more.
CREATE OR REPLACE FUNCTION handfast_runs.holder(p_run_id uuid, p_worker_id text, p_token bigint)
RETURNS bigint
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (
        SELECT l.id
        FROM handfast_runs.records AS r
        JOIN handfast_engine.live_jobs AS l ON l.id = r.job_id
        WHERE r.run_id = p_run_id AND l.token = p_token AND l.started_at IS NOT NULL
          AND CASE WHEN l.worker IS NULL THEN r.locked_by ELSE l.worker_name END = p_worker_id
    );
END
$$;
