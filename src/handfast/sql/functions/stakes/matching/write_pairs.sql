-- Pairs become sessions: the tickets are matched, their holds are the pot, and it is told and logged.
CREATE OR REPLACE FUNCTION handfast_stakes.write_pairs(
    p_made handfast_stakes.made_pair[], p_worker text, p_now timestamptz, p_session interval,
    p_clearing interval
) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_count    integer := cardinality(p_made);
    v_sessions bigint[];
    v_tickets  bigint[];
    v_holds    bigint[];
    v_twice    bigint[];
    v_changed  integer;
BEGIN
    v_sessions := ARRAY(
        SELECT nextval('handfast_stakes.game_sessions_id_seq') FROM generate_series(1, v_count)
    );
    v_tickets := ARRAY(SELECT m.ticket1 FROM unnest(p_made) AS m) || ARRAY(SELECT m.ticket2 FROM unnest(p_made) AS m);
    v_holds := ARRAY(SELECT m.hold1 FROM unnest(p_made) AS m) || ARRAY(SELECT m.hold2 FROM unnest(p_made) AS m);
    v_twice := v_sessions || v_sessions;

    INSERT INTO handfast_stakes.game_sessions (
        id, token, player1, player2, stake, currency, created_at, expires_at
    )
    SELECT v_sessions[m.place], replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), m.player1,
           m.player2, m.stake, q.currency, p_now, p_now + p_session
    FROM unnest(p_made) WITH ORDINALITY AS m(stake, ticket1, ticket2, player1, player2, hold1, hold2, place)
    JOIN handfast_stakes.matchmaking_queue AS q ON q.id = m.ticket1;
    UPDATE handfast_stakes.matchmaking_queue AS q
    SET status = 'matched', matched_at = p_now, session_id = t.session_id
    FROM unnest(v_tickets, v_twice) AS t(id, session_id) WHERE q.id = t.id AND q.status = 'queued';
    GET DIAGNOSTICS v_changed = ROW_COUNT;
    IF v_changed <> 2 * v_count
       OR handfast_ledger.move_holds(v_holds, v_twice, p_now + p_session + p_clearing) <> 2 * v_count THEN
        RAISE EXCEPTION 'a ticket that is locked is not as it was, or its hold is resolved'
            USING ERRCODE = 'data_corrupted', HINT = 'Nothing was paired. Run: handfast stakes check.';
    END IF;
    INSERT INTO handfast_stakes.claims (at, worker, stake, session_id, tickets, outcome)
    SELECT p_now, p_worker, m.stake, v_sessions[m.place], ARRAY[m.ticket1, m.ticket2], 'paired'
    FROM unnest(p_made) WITH ORDINALITY AS m(stake, ticket1, ticket2, player1, player2, hold1, hold2, place);
    PERFORM handfast_stakes.tell_matched(p_made, v_sessions, p_now + p_session);
END
$$;
