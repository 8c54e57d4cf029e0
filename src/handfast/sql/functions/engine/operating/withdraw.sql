-- End a waiting job without running it: p_state is cancelled or skipped. False if it was not
-- waiting any more.
CREATE OR REPLACE FUNCTION handfast_engine.withdraw(p_id bigint, p_state handfast_engine.job_state, p_reason text)
RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    v_now timestamptz := handfast_db.now();
    v_job handfast_engine.live;
    v_depended_on boolean;
BEGIN
    DELETE FROM handfast_engine.live AS l
    WHERE l.id = p_id AND l.state IN ('scheduled', 'ready', 'blocked')
    RETURNING l.* INTO v_job;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    PERFORM handfast_engine.note_end(v_job, p_state, p_state::text::handfast_engine.outcome, p_reason);
    RETURN true;
END
$$;
