-- For a worker that is only a SQL client: the run ends, and its job with it: ready with the number of its matches, or error with a code. In
-- one transaction, for the one who holds it. False when it is no longer this worker's: its lease
-- ended and the run was given to another, or the run has ended. Then nothing was changed.
--
-- The engine's row is taken first, as everywhere (a dying job ends its run): no two can wait for
-- each other.
CREATE OR REPLACE FUNCTION handfast_runs.complete_match_run(
    run_id        uuid,
    worker_id     text,
    token         bigint,
    status        handfast.match_run_status,
    match_count   integer DEFAULT NULL,
    error_code    text DEFAULT NULL,
    error_message text DEFAULT NULL
) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_began timestamptz := handfast_db.now();
    v_job   bigint;
BEGIN
    IF status IS NULL OR status NOT IN ('ready', 'error') THEN
        RAISE EXCEPTION 'a run ends as ready or as error, not as %', status
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF status = 'ready' AND (match_count IS NULL OR match_count < 0 OR error_code IS NOT NULL) THEN
        RAISE EXCEPTION 'a ready run has a number of matches, and no error code'
            USING ERRCODE = 'invalid_parameter_value',
                  HINT = 'Count them: SELECT handfast.count_matches(startup_id, corpus_version)';
    END IF;
    IF status = 'error' AND coalesce(error_code, '') !~ '^[A-Z][A-Z0-9_]{0,99}$' THEN
        RAISE EXCEPTION 'a failed run has an error code such as STARTUP_NOT_FOUND'
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    v_job := handfast_runs.holder(run_id, worker_id, token);
    IF v_job IS NULL OR v_job <> ALL (handfast_engine.finish(
        ARRAY[v_job], ARRAY[token],
        ARRAY[jsonb_build_object('status', status, 'matchCount', match_count, 'errorCode', error_code)]
    )) THEN
        RETURN false;
    END IF;
    RETURN handfast_runs.end_match_run(run_id, token, v_began, status, match_count, error_code,
                                       error_message);
END
$$;
