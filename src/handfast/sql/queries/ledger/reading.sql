-- Statements of the ledger: balances, statements, the trial balance, the check.

-- name: balance
SELECT coalesce(a.balance, handfast_ledger.derived_balance(a.id, NULL), 0) AS balance
FROM (SELECT handfast_ledger.account_called($1, $2, $3) AS id) AS called
LEFT JOIN handfast_ledger.accounts AS a ON a.id = called.id;

-- name: currency_of
-- Of this account, or of the owner's other one.
SELECT coalesce((
    SELECT a.currency FROM handfast_ledger.accounts AS a
    WHERE a.owner = $2::text ORDER BY (a.kind::text = $1::text) DESC LIMIT 1
), $3::text) AS currency;

-- name: balance_at
-- The newest entry that is not younger: one look into an index.
SELECT coalesce(
    CASE WHEN $2::text IS NULL THEN handfast_ledger.derived_balance(called.id, $4)
         ELSE (SELECT e.balance FROM handfast_ledger.entries AS e
               WHERE e.account_id = called.id AND e.at <= $4
               ORDER BY e.at DESC, e.transfer_id DESC, e.line DESC LIMIT 1) END,
    0
) AS balance
FROM (SELECT handfast_ledger.account_called($1, $2::text, $3) AS id) AS called;

-- name: statement
SELECT e.transfer_id, e.line::integer AS line, e.at, t.kind::text AS kind, e.kind::text AS entry_kind, t.reference,
       e.amount, e.balance, e.queue_id, e.session_id
FROM handfast_ledger.entries AS e
JOIN handfast_ledger.transfers AS t ON t.id = e.transfer_id
WHERE e.account_id = (SELECT handfast_ledger.account_called($1, $2, $3))
  AND (e.at, e.transfer_id, e.line) < (
      coalesce($4::timestamptz, 'infinity'), coalesce($5::bigint, 9223372036854775807),
      coalesce($6::bigint, 32767)
  )
ORDER BY e.at DESC, e.transfer_id DESC, e.line DESC
LIMIT $7;

-- name: trial_balance
SELECT b.kind::text AS kind, b.currency, count(*) AS accounts, sum(b.balance)::bigint AS balance,
       CASE WHEN b.kind = 'escrow' THEN (
           SELECT coalesce(sum(h.amount), 0)::bigint FROM handfast_ledger.holds AS h
           WHERE h.state = 'held' AND h.currency = b.currency
       ) END AS held
FROM (
    SELECT a.kind, a.currency, coalesce(a.balance, handfast_ledger.derived_balance(a.id, NULL)) AS balance
    FROM handfast_ledger.accounts AS a
) AS b
GROUP BY b.kind, b.currency
ORDER BY b.currency, b.kind;

-- name: extent
SELECT coalesce((SELECT max(e.transfer_id) FROM handfast_ledger.entries AS e),
                (SELECT max(t.id) FROM handfast_ledger.transfers AS t), 0) AS transfers,
       coalesce((SELECT max(a.id) FROM handfast_ledger.accounts AS a), 0) AS accounts;

-- name: check_transfers
SELECT c.account_id, c.transfer_id, c.problem, c.expected, c.found
FROM handfast_ledger.check_transfers($1, $2) AS c;

-- name: check_accounts
SELECT c.account_id, c.transfer_id, c.problem, c.expected, c.found
FROM handfast_ledger.check_accounts($1, $2) AS c;

-- name: check_platform
SELECT c.account_id, c.transfer_id, c.problem, c.expected, c.found
FROM handfast_ledger.check_platform() AS c;

-- name: transfers_named
-- This reference, and those that go on behind it with a colon; the amount is what went one way.
SELECT t.id, t.at, t.kind::text AS kind, t.reference::text AS reference,
       coalesce((
           SELECT sum(e.amount) FROM handfast_ledger.entries AS e
           WHERE e.transfer_id = t.id AND e.amount > 0
       ), 0)::bigint AS amount
FROM handfast_ledger.transfers AS t
WHERE t.reference = $1 OR (t.reference > $1 || ':' AND t.reference < $1 || ';')
ORDER BY t.id LIMIT $2;

-- name: entries_of_queue
-- All entries of the transfers in which these places in the queue are named, or that are called so: both
-- sides of each. One entry of escrow names them in each, and only that one is in the index.
SELECT e.transfer_id, e.line::integer AS line, e.at, t.kind::text AS kind, e.kind::text AS entry_kind,
       t.reference::text AS reference, a.kind::text AS account, a.owner::text AS owner,
       a.currency::text AS currency, e.amount, e.balance, e.queue_id, e.session_id
FROM (
    SELECT n.transfer_id FROM handfast_ledger.entries AS n
    WHERE n.queue_id = ANY ($1::bigint[]) AND n.balance IS NULL AND n.kind <> 'COMMISSION'
    UNION
    SELECT t.id FROM handfast_ledger.transfers AS t WHERE t.reference = ANY ($2::text[])
) AS named
JOIN handfast_ledger.entries AS e ON e.transfer_id = named.transfer_id
JOIN handfast_ledger.transfers AS t ON t.id = e.transfer_id
JOIN handfast_ledger.accounts AS a ON a.id = e.account_id
ORDER BY e.transfer_id, e.line LIMIT $3;

-- name: history_accounts
-- Cash begins with all that ever came in, the others with nothing.
SELECT a.id, a.owner IS NOT NULL AS of_player,
       CASE WHEN a.kind = 'cash' THEN coalesce((
           SELECT -sum(e.amount) FROM handfast_ledger.entries AS e WHERE e.account_id = a.id AND e.amount < 0
       ), 0) ELSE 0 END::bigint AS opening,
       coalesce(a.balance, handfast_ledger.derived_balance(a.id, NULL)) AS balance
FROM handfast_ledger.accounts AS a ORDER BY a.id;

-- name: history_extent
SELECT coalesce(max(e.transfer_id), 0) AS last FROM handfast_ledger.entries AS e;

-- name: history_entries
-- Ids are drawn while the accounts are locked: in each account it is the order in which they were posted.
SELECT e.transfer_id, e.account_id, e.amount, e.balance,
       (extract(epoch FROM e.at) * 1000000)::bigint AS microseconds
FROM handfast_ledger.entries AS e
WHERE e.transfer_id > $1 AND e.transfer_id <= $2
ORDER BY e.transfer_id, e.line;
