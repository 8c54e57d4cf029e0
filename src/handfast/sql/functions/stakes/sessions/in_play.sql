-- Sessions that wait for their end, and whether the pot is there that each names: the holds of both its
-- tickets. One that is not backed is left to an operator, and holds up nobody else.
CREATE OR REPLACE VIEW handfast_stakes.in_play AS
SELECT s.id, s.token, s.player1, s.player2, s.stake, s.currency, s.status, s.result, s.winner, s.moves,
       s.created_at, s.started_at, s.settled_at, s.expires_at,
       (SELECT count(*) FROM handfast_stakes.matchmaking_queue AS q
        JOIN handfast_ledger.holds AS h ON h.id = q.hold_id
        WHERE q.session_id = s.id AND h.state = 'held' AND h.session_id = s.id AND h.amount = s.stake
          AND h.currency = s.currency) = 2 AS backed
FROM handfast_stakes.game_sessions AS s
WHERE s.status IN ('waiting', 'playing');

COMMENT ON VIEW handfast_stakes.in_play IS 'sessions without an end; backed: the pot of each is as it must be';
