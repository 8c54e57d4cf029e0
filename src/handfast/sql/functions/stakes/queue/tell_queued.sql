-- The events of new tickets. PL/pgSQL, as handfast_engine.tell_users is.
CREATE OR REPLACE FUNCTION handfast_stakes.tell_queued(
    p_posted handfast_stakes.posted_stake[], p_ids bigint[], p_players uuid[], p_amounts bigint[],
    p_expires_at timestamptz
) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM handfast_engine.emit_many(
        array_agg('stake.queued'::text ORDER BY p.place),
        array_agg('player:' || p_players[p.item] ORDER BY p.place),
        array_agg(jsonb_build_object(
            'ticketId', p_ids[p.item], 'playerId', p_players[p.item], 'amount', p_amounts[p.item],
            'expiresAt', handfast_stakes.as_utc(p_expires_at)
        ) ORDER BY p.place),
        array_agg(p.place::integer ORDER BY p.place),
        array_agg(p_players[p.item] ORDER BY p.place)
    )
    FROM (
        SELECT p.item, row_number() OVER (ORDER BY p.item) AS place
        FROM unnest(p_posted) AS p WHERE p.verdict = 'posted'
    ) AS p;
END
$$;
