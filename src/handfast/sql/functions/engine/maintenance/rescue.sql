-- Jobs whose worker has died, or whose own deadline has passed, go back to ready; a lost lease is a
-- transient failure, so a job that kills its process ends as a dead letter. A worker's row is taken
-- before its jobs: a heartbeat or a claim of its own either came before, and then there is nothing
-- to rescue, or comes after, and then it learns that it is lost. At most p_limit jobs at a time; what
-- cannot be rescued does not count, and workers that cannot be ended for it do not either: however
-- many they are, they keep nothing from being rescued.
CREATE OR REPLACE FUNCTION handfast_engine.rescue(p_limit integer) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
    v_now    timestamptz := handfast_db.now();
    v_worker bigint;
    v_job    record;
    v_count  integer := 0;
BEGIN
    FOR v_worker IN
        SELECT w.id FROM handfast_engine.workers AS w
        WHERE w.ended_at IS NULL AND (w.lost OR w.lease_until < v_now)
        ORDER BY w.id FOR UPDATE SKIP LOCKED
    LOOP
        UPDATE handfast_engine.workers AS w SET lost = true, idle = false WHERE w.id = v_worker AND NOT w.lost;
        FOR v_job IN
            SELECT l.id, l.token FROM handfast_engine.live AS l
            WHERE l.worker = v_worker AND l.state = 'running'
            ORDER BY l.id FOR UPDATE SKIP LOCKED
        LOOP
            EXIT WHEN v_count >= p_limit;
            v_count := v_count + handfast_engine.rescue_one(v_job.id, v_job.token,
                'the worker that ran it stopped answering');
        END LOOP;
        IF v_count >= p_limit THEN
            RETURN v_count;
        END IF;
        UPDATE handfast_engine.workers AS w SET ended_at = v_now
        WHERE w.id = v_worker AND NOT EXISTS (
            SELECT 1 FROM handfast_engine.live AS l WHERE l.worker = v_worker AND l.state = 'running'
        );
    END LOOP;

    FOR v_job IN
        SELECT l.id, l.token FROM handfast_engine.live AS l
        WHERE l.state = 'running' AND l.worker IS NULL AND l.lease_until < v_now
        ORDER BY l.lease_until FOR UPDATE SKIP LOCKED
    LOOP
        EXIT WHEN v_count >= p_limit;
        v_count := v_count
            + handfast_engine.rescue_one(v_job.id, v_job.token, 'its lease ended before it did');
    END LOOP;
    RETURN v_count;
END
$$;
