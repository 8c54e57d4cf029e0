-- Pairs in the lines from which Redis proposes tickets: p_tickets, each beside its stake in p_stakes. Redis is
-- a hint and decides nothing: it is pair_lines that takes the oldest of these lines and locks them. What was
-- proposed and does not stand in that line is in the log, as stale: gone (it did once, or stands elsewhere), or
-- unknown (there is no such ticket). Answers, too, which of the proposed still wait: they go back to their places.
CREATE OR REPLACE FUNCTION handfast_stakes.pair_proposed(
    p_worker text, p_stakes bigint[], p_tickets bigint[], p_pairs integer, p_rematch interval,
    p_session interval, p_clearing interval
) RETURNS TABLE (pairs integer, more boolean, tickets bigint[], waiting bigint[], stale integer)
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off AS $$
#variable_conflict use_column
DECLARE
    v_now timestamptz := handfast_db.now();
BEGIN
    WITH proposed AS (
        SELECT p.stake, p.ticket, q.id, q.status = 'queued' AND q.stake_amount = p.stake AND q.expires_at > v_now AS waits
        FROM unnest(p_stakes, p_tickets) AS p(stake, ticket)
        LEFT JOIN handfast_stakes.matchmaking_queue AS q ON q.id = p.ticket
    ), logged AS (
        INSERT INTO handfast_stakes.claims (at, worker, stake, tickets, outcome, reason)
        SELECT v_now, p_worker, p.stake, array_agg(p.ticket ORDER BY p.ticket), 'stale',
               CASE WHEN p.id IS NULL THEN 'unknown' ELSE 'gone' END
        FROM proposed AS p WHERE p.waits IS NOT TRUE GROUP BY p.stake, p.id IS NULL
        RETURNING cardinality(tickets) AS count
    )
    SELECT coalesce(sum(l.count), 0) INTO stale FROM logged AS l;
    SELECT d.pairs, d.more, d.tickets INTO pairs, more, tickets
    FROM handfast_stakes.pair_lines(
        p_worker, ARRAY(SELECT DISTINCT unnest(p_stakes)), p_pairs, p_rematch, p_session, p_clearing
    ) AS d;
    waiting := ARRAY(
        SELECT q.id FROM unnest(p_stakes, p_tickets) AS p(stake, ticket)
        JOIN handfast_stakes.matchmaking_queue AS q ON q.id = p.ticket
        WHERE q.status = 'queued' AND q.stake_amount = p.stake AND q.expires_at > v_now
    );
    RETURN NEXT;
END
$$;
