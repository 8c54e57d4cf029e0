-- The run ends, and its job with it: ready with the number of its matches, or error with a code. In
-- one transaction, for the one who holds it. False when it is no longer this worker's: its lease
-- ended and the run was given to another, or the run has ended. Then nothing was changed.
--
-- The engine's row is taken first, as everywhere (a dying job ends its run): no two can wait for
-- each other.
CREATE OR REPLACE FUNCTION runs.complete_match_run(
    p_run_id        uuid,
    p_worker_id     text,
    p_token         bigint,
    p_status        runs.match_run_status,
    p_match_count   integer DEFAULT NULL,
    p_error_code    text DEFAULT NULL,
    p_error_message text DEFAULT NULL
) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_began timestamptz := db.now();
    v_now   timestamptz;
    v_job   bigint;
    v_run   runs.records;
BEGIN
    IF p_status IS NULL OR p_status NOT IN ('ready', 'error') THEN
        RAISE EXCEPTION 'a run ends as ready or as error, not as %', p_status
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF p_status = 'ready' AND (p_match_count IS NULL OR p_match_count < 0 OR p_error_code IS NOT NULL) THEN
        RAISE EXCEPTION 'a ready run has a number of matches, and no error code'
            USING ERRCODE = 'invalid_parameter_value',
                  HINT = 'Count them: SELECT runs.count_matches(startup_id, corpus_version)';
    END IF;
    IF p_status = 'error' AND coalesce(p_error_code, '') !~ '^[A-Z][A-Z0-9_]{0,99}$' THEN
        RAISE EXCEPTION 'a failed run has an error code such as STARTUP_NOT_FOUND'
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    v_job := runs.holder(p_run_id, p_worker_id, p_token);
    IF v_job IS NULL OR v_job <> ALL (engine.finish(
        ARRAY[v_job], ARRAY[p_token],
        ARRAY[jsonb_build_object('status', p_status, 'matchCount', p_match_count, 'errorCode', p_error_code)]
    )) THEN
        RETURN false;
    END IF;
    v_now := db.now();
    UPDATE runs.steps AS s SET ended_at = v_began
    WHERE s.run_id = p_run_id AND s.token = p_token AND s.ended_at IS NULL;
    IF p_status = 'ready' THEN
        INSERT INTO runs.steps (run_id, token, step, began_at, ended_at)
        VALUES (p_run_id, p_token, 'finalize', v_began, v_now)
        ON CONFLICT (run_id, token, step) DO NOTHING;  -- a SQL client may have noted it
    END IF;
    UPDATE runs.records AS r
    SET ended = p_status, ended_at = v_now, updated_at = v_now, locked_by = NULL,
        step = CASE p_status WHEN 'ready' THEN 'finalize' ELSE r.step END,
        match_count = CASE p_status WHEN 'ready' THEN p_match_count END,
        error_code = p_error_code, error_message = left(p_error_message, 1000)
    WHERE r.run_id = p_run_id AND r.ended IS NULL
    RETURNING r.* INTO v_run;
    IF NOT FOUND THEN
        RETURN false;  -- it had ended; its dead letter was requeued for nothing
    END IF;
    PERFORM runs.tell_end(v_run);
    RETURN true;
END
$$;
