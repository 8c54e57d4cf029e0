-- A paused lane or kind goes on: whoever sleeps and could do it is told. False if it was not paused.
CREATE OR REPLACE FUNCTION handfast_engine.resume(p_what text, p_name text) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM handfast_engine.pauses AS p WHERE p.what = p_what AND p.name = p_name;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    IF p_what = 'lane' THEN
        PERFORM handfast_engine.wake(ARRAY[p_name]);
    ELSE
        PERFORM handfast_engine.wake(ARRAY(
            SELECT DISTINCT n.lane FROM handfast_engine.workers AS w CROSS JOIN unnest(w.lanes) AS n(lane)
            WHERE w.idle AND w.ended_at IS NULL AND (w.kinds IS NULL OR p_name = ANY (w.kinds))
        ), ARRAY[p_name]);
    END IF;
    RETURN true;
END
$$;
