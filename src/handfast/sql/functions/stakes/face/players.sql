-- Everybody who has ever staked.
CREATE OR REPLACE VIEW handfast.players AS
SELECT p.id, p.created_at FROM handfast_stakes.players AS p;

COMMENT ON VIEW handfast.players IS 'one row for each player';
