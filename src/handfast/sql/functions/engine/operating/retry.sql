-- An operator wants this job now: a dead letter is requeued, a scheduled job becomes ready. What is
-- ready or running already, waits for another job, or has ended otherwise, stays as it is. Answers
-- the state it is in afterwards (null: no such job) and whether that is our doing.
CREATE OR REPLACE FUNCTION handfast_engine.retry(
    p_id bigint, OUT state handfast_engine.job_state, OUT changed boolean
)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    v_now  timestamptz := handfast_db.now();
    v_lane text;
BEGIN
    changed := false;
    UPDATE handfast_engine.live AS l SET state = 'ready', due_at = v_now
    WHERE l.id = p_id AND l.state = 'scheduled'
    RETURNING l.lane INTO v_lane;
    IF FOUND THEN
        PERFORM handfast_engine.wake(ARRAY[v_lane]);
        state := 'ready';
        changed := true;
        RETURN;
    END IF;
    IF cardinality(handfast_engine.requeue(ARRAY[p_id])) > 0 THEN
        state := 'ready';
        changed := true;
        RETURN;
    END IF;
    SELECT coalesce(j.state, l.state) INTO state
    FROM handfast_engine.jobs AS j LEFT JOIN handfast_engine.live AS l ON l.id = j.id
    WHERE j.id = p_id;
END
$$;
