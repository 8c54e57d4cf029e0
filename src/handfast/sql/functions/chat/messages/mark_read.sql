-- How far a user has read: up to a message, or all of it. A mark never goes back, and one that changes
-- nothing is no news. Outcomes: done, closed, unknown (no such message in this chat), none (no such match).
CREATE OR REPLACE FUNCTION handfast_chat.mark_read(
    p_match uuid, p_user uuid, p_up_to uuid, OUT outcome text
)
LANGUAGE plpgsql
AS $$
DECLARE
    v_now     timestamptz := handfast_db.now();
    v_partner uuid;
    v_open    boolean;
    v_number  bigint;
    v_mark    bigint;
    v_read    bigint;
    v_last    uuid;
BEGIN
    SELECT h.partner_id, h.is_open INTO v_partner, v_open
    FROM handfast_offers.hold_match(p_match, p_user) AS h;
    IF v_partner IS NULL THEN
        outcome := 'none';
        RETURN;
    END IF;
    IF p_up_to IS NULL THEN
        SELECT c.messages INTO v_number FROM handfast_chat.chats AS c WHERE c.match_id = p_match;
    ELSE
        SELECT m.number INTO v_number FROM handfast_chat.messages AS m
        WHERE m.id = p_up_to AND m.match_id = p_match;
        IF v_number IS NULL THEN
            outcome := 'unknown';
            RETURN;
        END IF;
    END IF;
    SELECT r.number INTO v_mark FROM handfast_chat.read_marks AS r
    WHERE r.match_id = p_match AND r.user_id = p_user;
    outcome := 'done';
    IF v_number IS NULL OR v_number <= coalesce(v_mark, 0) THEN
        RETURN;
    END IF;
    IF NOT v_open THEN
        outcome := 'closed';
        RETURN;
    END IF;
    INSERT INTO handfast_chat.read_marks AS r (match_id, user_id, number, read_at)
    VALUES (p_match, p_user, v_number, v_now)
    ON CONFLICT (match_id, user_id) DO UPDATE SET number = excluded.number, read_at = excluded.read_at;
    WITH read AS (
        UPDATE handfast_chat.messages AS m SET read_at = v_now
        WHERE m.match_id = p_match AND m.sender_id = v_partner AND m.number > coalesce(v_mark, 0)
          AND m.number <= v_number AND m.read_at IS NULL
        RETURNING m.number
    )
    SELECT max(r.number) INTO v_read FROM read AS r;
    IF v_read IS NOT NULL THEN
        SELECT m.id INTO v_last FROM handfast_chat.messages AS m
        WHERE m.match_id = p_match AND m.number = v_read;
        PERFORM handfast_engine.emit(
            'chat.read', 'match:' || p_match,
            jsonb_build_object('matchId', p_match, 'userId', p_user, 'upToMessageId', v_last),
            ARRAY[p_user, v_partner]
        );
    END IF;
END
$$;
