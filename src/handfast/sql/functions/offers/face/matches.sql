-- Every match, open or closed.
CREATE OR REPLACE VIEW handfast.matches AS
SELECT m.id, m.low_id AS user1_id, m.high_id AS user2_id, m.status, m.closed_reason, m.created_at,
       m.closed_at
FROM handfast_offers.matches AS m;

COMMENT ON VIEW handfast.matches IS 'one row for each mutual accept';
