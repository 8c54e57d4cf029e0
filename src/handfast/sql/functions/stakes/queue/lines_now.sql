-- The lines in which somebody waits, by a jump from each to the next.
CREATE OR REPLACE VIEW handfast_stakes.lines_now AS
WITH RECURSIVE lines AS (
    (SELECT q.stake_amount AS amount, q.currency FROM handfast_stakes.matchmaking_queue AS q
     WHERE q.status = 'queued' ORDER BY q.stake_amount, q.currency LIMIT 1)
    UNION ALL
    SELECT n.stake_amount, n.currency FROM lines AS l
    CROSS JOIN LATERAL (
        SELECT q.stake_amount, q.currency FROM handfast_stakes.matchmaking_queue AS q
        WHERE q.status = 'queued' AND (q.stake_amount, q.currency) > (l.amount, l.currency)
        ORDER BY q.stake_amount, q.currency LIMIT 1
    ) AS n
)
SELECT l.amount, l.currency FROM lines AS l;

COMMENT ON VIEW handfast_stakes.lines_now IS 'stakes and currencies at which somebody waits';
