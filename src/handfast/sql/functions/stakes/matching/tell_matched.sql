-- The events of new sessions, one for each pair, on the streams of both players.
CREATE OR REPLACE FUNCTION handfast_stakes.tell_matched(
    p_made handfast_stakes.made_pair[], p_sessions bigint[], p_expires_at timestamptz
) RETURNS void
LANGUAGE sql AS $$
    SELECT handfast_engine.emit_many(
        array_agg('stake.matched'::text ORDER BY m.place),
        array_agg('session:' || p_sessions[m.place] ORDER BY m.place),
        array_agg(jsonb_build_object(
            'sessionId', p_sessions[m.place], 'amount', m.stake, 'ticketIds', ARRAY[m.ticket1, m.ticket2],
            'playerIds', ARRAY[m.player1, m.player2], 'expiresAt', handfast_stakes.as_utc(p_expires_at)
        ) ORDER BY m.place),
        array_agg(m.place::integer ORDER BY m.place) || array_agg(m.place::integer ORDER BY m.place),
        array_agg(m.player1 ORDER BY m.place) || array_agg(m.player2 ORDER BY m.place)
    )
    FROM unnest(p_made) WITH ORDINALITY AS m(stake, ticket1, ticket2, player1, player2, hold1, hold2, place)
$$;
