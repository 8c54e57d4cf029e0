-- The run ends, and its job with it: ready with the number of its matches, or error with a code. In
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
    v_now   timestamptz;
    v_job   bigint;
    v_run   handfast_runs.records;
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
    v_now := handfast_db.now();
    UPDATE handfast_runs.steps AS s SET ended_at = v_began
    WHERE s.run_id = complete_match_run.run_id AND s.token = complete_match_run.token AND s.ended_at IS NULL;
    IF status = 'ready' THEN
        INSERT INTO handfast_runs.steps (run_id, token, step, began_at, ended_at)
        VALUES (complete_match_run.run_id, complete_match_run.token, 'finalize', v_began, v_now)
        ON CONFLICT ON CONSTRAINT steps_pkey DO NOTHING;  -- a SQL client may have noted it
    END IF;
    UPDATE handfast_runs.records AS r
    SET ended = status, ended_at = v_now, updated_at = v_now, locked_by = NULL,
        step = CASE status WHEN 'ready' THEN 'finalize' ELSE r.step END,
        match_count = CASE status WHEN 'ready' THEN complete_match_run.match_count END,
        error_code = complete_match_run.error_code,
        error_message = left(complete_match_run.error_message, 1000)
    WHERE r.run_id = complete_match_run.run_id AND r.ended IS NULL
    RETURNING r.* INTO v_run;
    IF NOT FOUND THEN
        RETURN false;  -- it had ended; its dead letter was requeued for nothing
    END IF;
    PERFORM handfast_runs.tell_end(v_run);
    RETURN true;
END
$$;
