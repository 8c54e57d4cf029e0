-- A worker lives: its lease, and with it the lease of every job it runs, is renewed. Answers the
-- jobs that it should stop; null when it has been given up, and its jobs with it.
CREATE OR REPLACE FUNCTION handfast_engine.beat(p_worker bigint, p_lease interval) RETURNS bigint[]
LANGUAGE plpgsql AS $$
DECLARE
    v_now timestamptz := handfast_db.now();
BEGIN
    -- Not "if the lease still holds": as long as nobody took the jobs, they are still its own.
    UPDATE handfast_engine.workers AS w SET beat_at = v_now, lease_until = v_now + p_lease
    WHERE w.id = p_worker AND NOT w.lost AND w.ended_at IS NULL;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    -- Told again at each beat until it is done: an answer may be lost.
    DELETE FROM handfast_engine.cancellations AS c
    WHERE c.worker = p_worker AND NOT EXISTS (
        SELECT 1 FROM handfast_engine.live AS l
        WHERE l.id = c.job_id AND l.worker = p_worker AND l.cancelling
    );
    RETURN ARRAY(SELECT c.job_id FROM handfast_engine.cancellations AS c WHERE c.worker = p_worker);
END
$$;
