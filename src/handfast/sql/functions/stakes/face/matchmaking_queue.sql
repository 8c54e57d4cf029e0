-- Every ticket. The source's status "matching" is never seen: claim and session are one transaction.
CREATE OR REPLACE VIEW handfast.matchmaking_queue AS
SELECT q.id, q.player_id, q.stake_amount, q.transfer_id, q.status, q.created_at, q.matched_at, q.expires_at,
       q.session_id, q.fee, q.currency, q.hold_id, q.line, q.queued_at, q.ended_at
FROM handfast_stakes.matchmaking_queue AS q;

COMMENT ON VIEW handfast.matchmaking_queue IS 'one row for each ticket';
