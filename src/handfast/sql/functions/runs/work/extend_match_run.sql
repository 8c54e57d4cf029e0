-- More time, from now. False when it is too late: the run is another's, or has ended. A worker that
-- has a heartbeat needs no more time, and is told whether the run is still its own.
CREATE OR REPLACE FUNCTION handfast_runs.extend_match_run(
    run_id        uuid,
    worker_id     text,
    token         bigint,
    lease_seconds integer DEFAULT 300
) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_job bigint := handfast_runs.holder(run_id, worker_id, token);
BEGIN
    IF lease_seconds IS NULL OR lease_seconds NOT BETWEEN 1 AND 86400 THEN
        RAISE EXCEPTION 'a lease is from 1 to 86400 seconds, not %', lease_seconds
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF v_job IS NULL THEN
        RETURN false;
    END IF;
    RETURN handfast_engine.extend(v_job, token, make_interval(secs => lease_seconds))
        OR EXISTS (
            SELECT 1 FROM handfast_engine.live_jobs AS l
            WHERE l.id = v_job AND l.token = extend_match_run.token AND l.worker IS NOT NULL
        );
END
$$;
