-- What is small and old and in no partition: up to p_limit rows of each. Answers how many went.
CREATE OR REPLACE FUNCTION handfast_engine.prune(p_before timestamptz, p_limit integer) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
    v_count integer := 0;
    v_step  integer;
BEGIN
    DELETE FROM handfast_engine.attempts_other AS a WHERE a.ctid = ANY (ARRAY(
        SELECT o.ctid FROM handfast_engine.attempts_other AS o
        WHERE o.finished_at < p_before LIMIT p_limit FOR UPDATE SKIP LOCKED
    ));
    GET DIAGNOSTICS v_step = ROW_COUNT;
    v_count := v_count + v_step;
    DELETE FROM handfast_engine.workers AS w WHERE w.id = ANY (ARRAY(
        SELECT o.id FROM handfast_engine.workers AS o
        WHERE o.ended_at < p_before LIMIT p_limit FOR UPDATE SKIP LOCKED
    ));
    GET DIAGNOSTICS v_step = ROW_COUNT;
    v_count := v_count + v_step;
    DELETE FROM handfast_engine.events AS e WHERE e.id = ANY (ARRAY(
        SELECT o.id FROM handfast_engine.events AS o
        WHERE o.at < p_before ORDER BY o.at LIMIT p_limit FOR UPDATE SKIP LOCKED
    ));
    GET DIAGNOSTICS v_step = ROW_COUNT;
    RETURN v_count + v_step;
END
$$;
