-- More time, from now: see handfast_runs.extend_match_run.
CREATE OR REPLACE FUNCTION handfast.extend_match_run(
    run_id        uuid,
    worker_id     text,
    token         bigint,
    lease_seconds integer DEFAULT 300
) RETURNS boolean
LANGUAGE sql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
    SELECT handfast_runs.extend_match_run(
        extend_match_run.run_id, extend_match_run.worker_id, extend_match_run.token,
        extend_match_run.lease_seconds
    )
$$;
