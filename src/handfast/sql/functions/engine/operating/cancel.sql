-- Cancel a job. A waiting one is cancelled now; a running one is told to stop at its worker's next
-- heartbeat. Answers the state it is in afterwards, null if there is no such job.
CREATE OR REPLACE FUNCTION handfast_engine.cancel(p_id bigint, p_reason text) RETURNS handfast_engine.job_state
LANGUAGE plpgsql AS $$
DECLARE
    v_state  handfast_engine.job_state;
    v_worker bigint;
BEGIN
    SELECT l.state, l.worker INTO v_state, v_worker
    FROM handfast_engine.live AS l WHERE l.id = p_id FOR UPDATE;
    IF v_state = 'running' THEN
        UPDATE handfast_engine.live AS l SET cancelling = true, reason = p_reason WHERE l.id = p_id;
        INSERT INTO handfast_engine.cancellations (worker, job_id)
        SELECT v_worker, p_id WHERE v_worker IS NOT NULL
        ON CONFLICT (worker, job_id) DO NOTHING;
        RETURN 'running';
    ELSIF v_state IS NOT NULL THEN
        PERFORM handfast_engine.withdraw(p_id, 'cancelled', p_reason);
        RETURN 'cancelled';
    END IF;
    SELECT j.state INTO v_state FROM handfast_engine.jobs AS j WHERE j.id = p_id;
    RETURN v_state;
END
$$;
