-- A message, once: by the sender's own id of it the stored one is found again, also when the match was
-- closed meanwhile. Outcomes: sent, again, reused (the id was another message's), closed, none (no such match).
-- The pair is held, so a block or an unmatch comes before it or after it.
CREATE OR REPLACE FUNCTION handfast_chat.send_message(
    p_id uuid, p_match uuid, p_sender uuid, p_content text, p_client_id text,
    OUT outcome text, OUT message_id uuid, OUT created_at timestamptz, OUT read_at timestamptz,
    OUT removed_at timestamptz
)
LANGUAGE plpgsql
AS $$
DECLARE
    v_now     timestamptz := handfast_db.now();
    v_partner uuid;
    v_open    boolean;
    v_content text;
    v_number  bigint;
BEGIN
    SELECT h.partner_id, h.is_open INTO v_partner, v_open
    FROM handfast_offers.hold_match(p_match, p_sender) AS h;
    IF v_partner IS NULL THEN
        outcome := 'none';
        RETURN;
    END IF;
    IF p_client_id IS NOT NULL THEN
        SELECT m.id, m.created_at, m.read_at, m.removed_at, m.content
        INTO message_id, created_at, read_at, removed_at, v_content
        FROM handfast_chat.messages AS m
        WHERE m.match_id = p_match AND m.sender_id = p_sender AND m.client_message_id = p_client_id;
        IF message_id IS NOT NULL THEN
            outcome := CASE WHEN coalesce(v_content = p_content, true) THEN 'again' ELSE 'reused' END;
            RETURN;
        END IF;
    END IF;
    IF NOT v_open THEN
        outcome := 'closed';
        RETURN;
    END IF;
    INSERT INTO handfast_chat.chats AS c (match_id, messages, last_message_at) VALUES (p_match, 1, v_now)
    ON CONFLICT (match_id) DO UPDATE
    SET messages = c.messages + 1, last_message_at = excluded.last_message_at
    RETURNING c.messages INTO v_number;
    INSERT INTO handfast_chat.messages
        (id, match_id, sender_id, number, created_at, content, client_message_id)
    VALUES (p_id, p_match, p_sender, v_number, v_now, p_content, p_client_id);
    outcome := 'sent';
    message_id := p_id;
    created_at := v_now;
    PERFORM handfast_engine.emit(
        'chat.message_sent', 'match:' || p_match,
        jsonb_build_object('messageId', p_id, 'matchId', p_match, 'senderId', p_sender),
        ARRAY[p_sender, v_partner]
    );
END
$$;
