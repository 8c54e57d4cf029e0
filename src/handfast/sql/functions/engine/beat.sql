-- A worker lives: its lease, and with it the lease of every job it runs, is renewed. Answers the
-- jobs that it should stop; null when it has been given up, and its jobs with it.
CREATE OR REPLACE FUNCTION engine.beat(p_worker bigint, p_lease interval) RETURNS bigint[]
LANGUAGE plpgsql AS $$
DECLARE
    v_now timestamptz := db.now();
BEGIN
    -- Not "if the lease still holds": as long as nobody took the jobs, they are still its own.
    UPDATE engine.workers AS w SET beat_at = v_now, lease_until = v_now + p_lease
    WHERE w.id = p_worker AND NOT w.lost AND w.ended_at IS NULL;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    RETURN ARRAY(
        SELECT l.id FROM engine.live AS l
        WHERE l.worker = p_worker AND l.state = 'running' AND l.cancelling
    );
END
$$;
