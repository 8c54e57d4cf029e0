-- The oldest of one line that nobody else holds, locked; and those as old that were left, of the same
-- snapshot: whom somebody does hold, and who is not backed. Of these all that stand before the last one
-- taken, however many: others may hold more than one takes. What is past its end is left to expiry.
CREATE OR REPLACE FUNCTION handfast_stakes.take_tickets(
    p_stake bigint, p_currency text, p_limit integer, p_now timestamptz
) RETURNS handfast_stakes.line_window
LANGUAGE sql AS $$
    WITH free AS MATERIALIZED (
        SELECT w.id, w.line, w.player_id, w.hold_id FROM handfast_stakes.in_line AS w
        WHERE w.stake_amount = p_stake AND w.currency = p_currency AND w.expires_at > p_now AND w.backed
        ORDER BY w.line LIMIT p_limit FOR NO KEY UPDATE SKIP LOCKED
    ), seen AS MATERIALIZED (
        SELECT w.id, w.line FROM handfast_stakes.in_line AS w
        WHERE w.stake_amount = p_stake AND w.currency = p_currency AND w.expires_at > p_now
          AND w.line < (SELECT max(f.line) FROM free AS f)
        UNION
        (SELECT w.id, w.line FROM handfast_stakes.in_line AS w
         WHERE w.stake_amount = p_stake AND w.currency = p_currency AND w.expires_at > p_now
         ORDER BY w.line LIMIT p_limit)
    ), others AS MATERIALIZED (
        SELECT s.id, s.line, (SELECT w.backed FROM handfast_stakes.in_line AS w WHERE w.id = s.id) AS backed
        FROM seen AS s WHERE s.id NOT IN (SELECT f.id FROM free AS f)
    )
    SELECT ROW(
        p_stake,
        (SELECT array_agg(f.id ORDER BY f.line) FROM free AS f),
        (SELECT array_agg(f.player_id ORDER BY f.line) FROM free AS f),
        (SELECT array_agg(f.hold_id ORDER BY f.line) FROM free AS f),
        (SELECT array_agg(f.line ORDER BY f.line) FROM free AS f),
        (SELECT array_agg(o.id ORDER BY o.line) FROM others AS o WHERE o.backed),
        (SELECT array_agg(o.line ORDER BY o.line) FROM others AS o WHERE o.backed),
        (SELECT array_agg(o.id ORDER BY o.line) FROM others AS o WHERE NOT o.backed),
        (SELECT array_agg(o.line ORDER BY o.line) FROM others AS o WHERE NOT o.backed)
    )::handfast_stakes.line_window
$$;
