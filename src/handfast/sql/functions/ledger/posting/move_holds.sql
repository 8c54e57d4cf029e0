-- Holds become parts of pots, while they are held: p_holds[n] of the session p_sessions[n], with another
-- deadline. In order of their ids, as post locks them. Answers how many were.
CREATE OR REPLACE FUNCTION handfast_ledger.move_holds(
    p_holds bigint[], p_sessions bigint[], p_deadline timestamptz
) RETURNS integer
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off AS $$
DECLARE
    v_moved integer;
BEGIN
    PERFORM 1 FROM handfast_ledger.holds AS h WHERE h.id = ANY (p_holds) ORDER BY h.id FOR NO KEY UPDATE;
    UPDATE handfast_ledger.holds AS h SET session_id = w.session_id, deadline = p_deadline
    FROM unnest(p_holds, p_sessions) AS w(id, session_id)
    WHERE h.id = w.id AND h.state = 'held';
    GET DIAGNOSTICS v_moved = ROW_COUNT;
    RETURN v_moved;
END
$$;
