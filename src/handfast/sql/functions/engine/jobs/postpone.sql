-- A waiting job does not run before p_at, nor, for that, later than p_within after its first start.
-- It only ever moves back: a due time that is later already stays. False if it was not waiting.
CREATE OR REPLACE FUNCTION handfast_engine.postpone(p_id bigint, p_at timestamptz, p_within interval)
RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    v_now timestamptz := handfast_db.now();
BEGIN
    UPDATE handfast_engine.live AS l
    SET due_at = n.due_at,
        state = CASE WHEN n.due_at > v_now THEN 'scheduled' ELSE l.state END
    FROM (
        SELECT h.id, handfast_db.readable(greatest(h.due_at, least(p_at, h.first_start_at + p_within)))
                   AS due_at
        FROM handfast_engine.live AS h
        WHERE h.id = p_id AND h.state IN ('scheduled', 'ready')
        FOR UPDATE
    ) AS n
    WHERE l.id = n.id;
    RETURN FOUND;
END
$$;
