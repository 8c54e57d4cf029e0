-- The worker has stopped a job that it was told to stop. False when the token is no longer its own.
CREATE OR REPLACE FUNCTION handfast_engine.acknowledge_cancel(p_id bigint, p_token bigint) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    v_job handfast_engine.live;
BEGIN
    DELETE FROM handfast_engine.live AS l
    WHERE l.id = p_id AND l.token = p_token AND l.started_at IS NOT NULL AND l.cancelling
    RETURNING l.* INTO v_job;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    PERFORM handfast_engine.note_end(v_job, 'cancelled', 'cancelled', v_job.reason);
    RETURN true;
END
$$;
