-- A step of an attempt begins, and the one before it ends.
CREATE OR REPLACE FUNCTION handfast_runs.note_step(p_run_id uuid, p_token bigint, p_step handfast.match_run_step)
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_now timestamptz := handfast_db.now();
BEGIN
    UPDATE handfast_runs.steps AS s SET ended_at = v_now
    WHERE s.run_id = p_run_id AND s.token = p_token AND s.ended_at IS NULL;
    INSERT INTO handfast_runs.steps (run_id, token, step, began_at) VALUES (p_run_id, p_token, p_step, v_now)
    ON CONFLICT (run_id, token, step) DO NOTHING;
    UPDATE handfast_runs.records AS r SET step = p_step, updated_at = v_now
    WHERE r.run_id = p_run_id AND r.ended IS NULL;
END
$$;
