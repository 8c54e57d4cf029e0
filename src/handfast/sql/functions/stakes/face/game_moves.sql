-- Every move of every game.
CREATE OR REPLACE VIEW handfast.game_moves AS
SELECT m.session_id, m.number, m.player_id, m.type, m.payload, m.created_at
FROM handfast_stakes.game_moves AS m;

COMMENT ON VIEW handfast.game_moves IS 'one row for each move of a game';
