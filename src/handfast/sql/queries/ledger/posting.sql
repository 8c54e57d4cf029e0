-- Statements of the ledger: transfers and holds.

-- name: post
SELECT p.item, p.verdict, p.transfer_id, p.hold_id, p.account, p.available
FROM handfast_ledger.post($1) AS p;

-- name: hold
SELECT h.id, h.owner, h.currency, h.amount, h.from_credit, h.from_wallet, h.queue_id, h.session_id,
       h.state, h.taken, h.transfer_id, h.resolved_by, h.created_at, h.expires_at, h.deadline,
       h.resolved_at
FROM handfast_ledger.holds AS h WHERE h.id = $1;

-- name: open_holds
SELECT h.id, h.owner, h.currency, h.amount, h.from_credit, h.from_wallet, h.queue_id, h.session_id,
       h.state, h.taken, h.transfer_id, h.resolved_by, h.created_at, h.expires_at, h.deadline,
       h.resolved_at
FROM handfast_ledger.holds AS h WHERE h.owner = $1 AND h.state = 'held' ORDER BY h.id;

-- name: due_holds
SELECT h.id, h.currency FROM handfast_ledger.holds AS h
WHERE h.state = 'held' AND h.expires_at <= handfast_db.now()
ORDER BY h.expires_at LIMIT $1
FOR NO KEY UPDATE SKIP LOCKED;

-- name: move_hold
UPDATE handfast_ledger.holds AS h SET session_id = $2
WHERE h.id = ANY ($1::bigint[]) AND h.state = 'held'
RETURNING 1 AS moved;

-- name: uncleared_holds
SELECT 'hold-' || h.id AS key, jsonb_build_object('hold', h.id) AS payload, h.deadline::timestamptz AS due_at,
       false AS result_exists
FROM handfast_ledger.holds AS h
WHERE h.state = 'held' AND h.deadline >= $1 AND h.deadline < $2;
