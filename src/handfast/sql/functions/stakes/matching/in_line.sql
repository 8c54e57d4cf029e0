-- Tickets in line, and whether the money is there that each names: a hold of its own stake, currency and
-- player, in no pot. One that is not backed is passed by, and holds up nobody else.
CREATE OR REPLACE VIEW handfast_stakes.in_line AS
SELECT q.id, q.stake_amount, q.currency, q.line, q.player_id, q.hold_id, q.fee, q.queued_at, q.expires_at,
       coalesce((
           SELECT h.state = 'held' AND h.amount = q.stake_amount AND h.currency = q.currency
                  AND h.queue_id = q.id AND h.owner = q.player_id::text AND h.session_id IS NULL
           FROM handfast_ledger.holds AS h WHERE h.id = q.hold_id
       ), false) AS backed
FROM handfast_stakes.matchmaking_queue AS q
WHERE q.status = 'queued';

COMMENT ON VIEW handfast_stakes.in_line IS 'tickets in line; backed: the hold of each is as it must be';
