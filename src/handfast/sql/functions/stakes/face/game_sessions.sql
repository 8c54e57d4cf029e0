-- Every game. Its token is a secret of the two players, and not here.
CREATE OR REPLACE VIEW handfast.game_sessions AS
SELECT s.id, s.player1, s.player2, s.stake, s.currency, s.status, s.result, s.winner, s.moves, s.created_at,
       s.started_at, s.settled_at, s.expires_at
FROM handfast_stakes.game_sessions AS s;

COMMENT ON VIEW handfast.game_sessions IS 'one row for each game between two matched tickets';
