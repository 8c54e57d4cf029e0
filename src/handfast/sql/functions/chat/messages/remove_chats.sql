-- The chats of matches that were closed so long ago: up to so many, the oldest first. Nothing is written
-- to a closed match, so what was looked through once need not be again: p_until has passed long ago for
-- every transaction that still runs. Answers how many matches were looked through.
CREATE OR REPLACE FUNCTION handfast_chat.remove_chats(p_kept interval, p_limit integer) RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
    v_from    timestamptz;
    v_matches uuid[];
    v_through timestamptz;
BEGIN
    SELECT r.through INTO v_from FROM handfast_chat.removal AS r FOR UPDATE;
    SELECT array_agg(f.id), max(f.closed_at) INTO v_matches, v_through
    FROM (
        SELECT m.id, m.closed_at FROM handfast_offers.matches AS m
        WHERE m.closed_at > v_from AND m.closed_at <= handfast_db.now() - p_kept
        ORDER BY m.closed_at
        FETCH FIRST p_limit ROWS WITH TIES
    ) AS f;
    IF v_matches IS NULL THEN
        RETURN 0;
    END IF;
    DELETE FROM handfast_chat.chats AS c WHERE c.match_id = ANY(v_matches);
    UPDATE handfast_chat.removal AS r SET through = v_through;
    RETURN cardinality(v_matches);
END
$$;
