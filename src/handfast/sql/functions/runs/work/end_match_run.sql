-- The run ends, in the transaction that has just ended its job: finalize began then. False if it had
-- ended before: its dead letter was requeued for nothing.
CREATE OR REPLACE FUNCTION handfast_runs.end_match_run(
    p_run_id uuid, p_token bigint, p_began timestamptz, p_status handfast.match_run_status,
    p_match_count integer, p_error_code text, p_error_message text
) RETURNS boolean
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_now timestamptz := handfast_db.now();
    v_run handfast_runs.records;
BEGIN
    UPDATE handfast_runs.steps AS s SET ended_at = p_began
    WHERE s.run_id = p_run_id AND s.token = p_token AND s.ended_at IS NULL;
    IF p_status = 'ready' THEN
        INSERT INTO handfast_runs.steps (run_id, token, step, began_at, ended_at)
        VALUES (p_run_id, p_token, 'finalize', p_began, v_now)
        ON CONFLICT ON CONSTRAINT steps_pkey DO NOTHING;  -- a SQL client may have noted it
    END IF;
    UPDATE handfast_runs.records AS r
    SET ended = p_status, ended_at = v_now, updated_at = v_now, locked_by = NULL,
        step = CASE p_status WHEN 'ready' THEN 'finalize' ELSE r.step END,
        match_count = CASE p_status WHEN 'ready' THEN p_match_count END,
        error_code = p_error_code, error_message = left(p_error_message, 1000)
    WHERE r.run_id = p_run_id AND r.ended IS NULL
    RETURNING r.* INTO v_run;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    PERFORM handfast_runs.tell_end(v_run);
    RETURN true;
END
$$;
