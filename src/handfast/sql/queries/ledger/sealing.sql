-- Statements of the ledger: seals.

-- name: next_seal
SELECT n.number, n.epoch::integer AS epoch, n.since::text::bigint AS since, n.until::text::bigint AS until,
       n.previous
FROM handfast_ledger.next_seal($1) AS n;

-- name: add_seal
SELECT handfast_ledger.add_seal(
    $1, $2::integer::smallint, $3::bigint::text::xid8, $4::bigint::text::xid8, $5, $6, $7
) AS sealed_at;

-- name: seals
SELECT s.number, s.epoch::integer AS epoch, s.since::text::bigint AS since, s.until::text::bigint AS until,
       s.entries, s.previous, s.hash, s.sealed_at
FROM handfast_ledger.seals AS s WHERE s.number > $1 ORDER BY s.number LIMIT $2;

-- name: epochs
-- Those that are known, and those of rows, by a jump from each to the next: nobody but a stranger has
-- written rows of others.
WITH RECURSIVE of_transfers AS (
    SELECT min(t.epoch) AS epoch FROM handfast_ledger.transfers AS t
    UNION ALL
    SELECT (SELECT min(t.epoch) FROM handfast_ledger.transfers AS t WHERE t.epoch > o.epoch)
    FROM of_transfers AS o WHERE o.epoch IS NOT NULL
), of_accounts AS (
    SELECT min(a.epoch) AS epoch FROM handfast_ledger.accounts AS a
    UNION ALL
    SELECT (SELECT min(a.epoch) FROM handfast_ledger.accounts AS a WHERE a.epoch > o.epoch)
    FROM of_accounts AS o WHERE o.epoch IS NOT NULL
)
SELECT n.number::integer AS number FROM (
    SELECT e.number FROM handfast_ledger.epochs AS e
    UNION SELECT o.epoch FROM of_transfers AS o
    UNION SELECT o.epoch FROM of_accounts AS o
) AS n
WHERE n.number IS NOT NULL ORDER BY n.number;

-- name: rows_since
SELECT (SELECT count(*) FROM handfast_ledger.transfers AS t
        WHERE t.epoch = $1::integer::smallint AND t.xid >= $2::bigint::text::xid8)
       + (SELECT count(*) FROM handfast_ledger.accounts AS a
          WHERE a.epoch = $1::integer::smallint AND a.xid >= $2::bigint::text::xid8) AS rows;

-- name: unsealed_seconds
SELECT coalesce(extract(epoch FROM handfast_db.now() - min(t.at)), 0)::float8 AS seconds
FROM (
    SELECT t.at FROM handfast_ledger.transfers AS t
    WHERE (t.epoch, t.xid) >= (
        SELECT coalesce(max(s.epoch), 0::smallint), coalesce(max(s.until), '0'::xid8)
        FROM (SELECT s.epoch, s.until FROM handfast_ledger.seals AS s ORDER BY s.number DESC LIMIT 1) AS s
    )
    ORDER BY t.epoch, t.xid LIMIT 1
) AS t;

-- name: work_due
-- Whether anything waits for a seal (it may have to wait on: somebody has a transaction open), whether a
-- hold is past its own end, how many are past their deadline (a bounded look: one is too many), and the
-- minute, which names the jobs of it.
WITH last AS (
    SELECT s.epoch, s.until FROM handfast_ledger.seals AS s ORDER BY s.number DESC LIMIT 1
), sealed AS (
    SELECT coalesce((SELECT l.epoch FROM last AS l), 0::smallint) AS epoch,
           coalesce((SELECT l.until FROM last AS l), '0'::xid8) AS until
)
SELECT EXISTS (SELECT 1 FROM handfast_ledger.transfers AS t WHERE (t.epoch, t.xid) >= (s.epoch, s.until))
       OR EXISTS (SELECT 1 FROM handfast_ledger.accounts AS a WHERE (a.epoch, a.xid) >= (s.epoch, s.until))
           AS unsealed,
       EXISTS (SELECT 1 FROM handfast_ledger.holds AS h
               WHERE h.state = 'held' AND h.expires_at <= handfast_db.now()) AS expired,
       (SELECT count(*) FROM (
            SELECT 1 FROM handfast_ledger.holds AS h
            WHERE h.state = 'held' AND h.deadline <= handfast_db.now() LIMIT 1000
        ) AS n) AS uncleared,
       to_char(handfast_db.now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI') AS minute
FROM sealed AS s;

-- name: sealed_accounts
SELECT a.epoch, a.xid, a.id, a.kind::text AS kind, a.owner, a.currency, a.opened_at
FROM handfast_ledger.accounts AS a
WHERE a.epoch = $1 AND a.xid >= $2::bigint::text::xid8 AND a.xid < $3::bigint::text::xid8
ORDER BY a.epoch, a.xid, a.id;

-- name: sealed_entries
SELECT t.epoch, t.xid, t.id, t.at, t.kind::text AS kind, t.reference, e.line, e.account_id, e.amount, e.balance,
       e.kind::text AS entry_kind, e.queue_id, e.session_id
FROM handfast_ledger.transfers AS t
LEFT JOIN handfast_ledger.entries AS e ON e.transfer_id = t.id
WHERE t.epoch = $1 AND t.xid >= $2::bigint::text::xid8 AND t.xid < $3::bigint::text::xid8
ORDER BY t.epoch, t.xid, t.id, e.line;

-- name: newest_seals
SELECT s.number, s.epoch::integer AS epoch, s.since::text::bigint AS since, s.until::text::bigint AS until,
       s.entries, s.previous, s.hash, s.sealed_at
FROM handfast_ledger.seals AS s WHERE $1::bigint IS NULL OR s.number < $1 ORDER BY s.number DESC LIMIT $2;
