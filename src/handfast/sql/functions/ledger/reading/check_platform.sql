-- What is wrong with the platform's side: the derived balances must be the sums of all entries, and
-- escrow must be what is held.
CREATE OR REPLACE FUNCTION handfast_ledger.check_platform() RETURNS TABLE (
    account_id bigint, transfer_id bigint, problem text, expected bigint, found bigint
)
LANGUAGE sql STABLE AS $$
    WITH sums AS MATERIALIZED (
        SELECT a.id, a.kind, a.currency, coalesce(s.total, 0)::bigint AS total
        FROM handfast_ledger.accounts AS a
        LEFT JOIN (
            SELECT e.account_id, sum(e.amount) AS total FROM handfast_ledger.entries AS e
            WHERE e.balance IS NULL GROUP BY e.account_id
        ) AS s ON s.account_id = a.id
        WHERE a.owner IS NULL
    )
    SELECT s.id, NULL::bigint, 'the totals of the seals are not the sum of the entries', s.total,
           handfast_ledger.derived_balance(s.id, NULL)
    FROM sums AS s WHERE s.total <> handfast_ledger.derived_balance(s.id, NULL)
    UNION ALL
    SELECT s.id, NULL, 'escrow is not what is held', coalesce(h.held, 0)::bigint, s.total
    FROM sums AS s
    LEFT JOIN (
        SELECT h.currency, sum(h.amount) AS held FROM handfast_ledger.holds AS h
        WHERE h.state = 'held' GROUP BY h.currency
    ) AS h ON h.currency = s.currency
    WHERE s.kind = 'escrow' AND s.total <> coalesce(h.held, 0)
    UNION ALL
    SELECT NULL, h.resolved_by, 'a hold was resolved by no transfer', NULL, h.id
    FROM handfast_ledger.holds AS h
    WHERE h.state <> 'held'
      AND NOT EXISTS (SELECT 1 FROM handfast_ledger.transfers AS t WHERE t.id = h.resolved_by)
$$;
