-- The oldest of one line that nobody else holds, locked; and those as old that somebody does hold, of the
-- same snapshot. What is past its end is left to expiry.
CREATE OR REPLACE FUNCTION handfast_stakes.take_line(p_stake bigint, p_limit integer, p_now timestamptz)
RETURNS handfast_stakes.line_window
LANGUAGE sql AS $$
    WITH free AS MATERIALIZED (
        SELECT q.id, q.line, q.player_id, q.hold_id FROM handfast_stakes.matchmaking_queue AS q
        WHERE q.status = 'queued' AND q.stake_amount = p_stake AND q.expires_at > p_now
        ORDER BY q.line LIMIT p_limit FOR NO KEY UPDATE SKIP LOCKED
    ), seen AS MATERIALIZED (
        SELECT q.id, q.line FROM handfast_stakes.matchmaking_queue AS q
        WHERE q.status = 'queued' AND q.stake_amount = p_stake AND q.expires_at > p_now
        ORDER BY q.line LIMIT p_limit
    )
    SELECT ROW(
        p_stake,
        (SELECT array_agg(f.id ORDER BY f.line) FROM free AS f),
        (SELECT array_agg(f.player_id ORDER BY f.line) FROM free AS f),
        (SELECT array_agg(f.hold_id ORDER BY f.line) FROM free AS f),
        (SELECT array_agg(f.line ORDER BY f.line) FROM free AS f),
        (SELECT array_agg(s.id ORDER BY s.line) FROM seen AS s WHERE s.id NOT IN (SELECT f.id FROM free AS f)),
        (SELECT array_agg(s.line ORDER BY s.line) FROM seen AS s WHERE s.id NOT IN (SELECT f.id FROM free AS f))
    )::handfast_stakes.line_window
$$;
