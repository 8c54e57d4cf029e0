-- Ends the run and its job together, for whoever holds it: see handfast_runs.complete_match_run.
CREATE OR REPLACE FUNCTION handfast.complete_match_run(
    run_id        uuid,
    worker_id     text,
    token         bigint,
    status        handfast.match_run_status,
    match_count   integer DEFAULT NULL,
    error_code    text DEFAULT NULL,
    error_message text DEFAULT NULL
) RETURNS boolean
LANGUAGE sql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
    SELECT handfast_runs.complete_match_run(
        complete_match_run.run_id, complete_match_run.worker_id, complete_match_run.token,
        complete_match_run.status, complete_match_run.match_count, complete_match_run.error_code,
        complete_match_run.error_message
    )
$$;
