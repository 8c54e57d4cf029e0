-- What is wrong with transfers of these ids: each has two entries at least, of its own instant, which
-- sum to zero, between accounts that exist, in one currency; and no entry is without a transfer.
CREATE OR REPLACE FUNCTION handfast_ledger.check_transfers(p_after bigint, p_last bigint) RETURNS TABLE (
    account_id bigint, transfer_id bigint, problem text, expected bigint, found bigint
)
LANGUAGE sql STABLE AS $$
    SELECT c.account_id, coalesce(c.transfer_id, t.id),
           CASE WHEN t.id IS NULL THEN 'there are entries without a transfer'
                WHEN c.transfer_id IS NULL OR c.legs < 2 THEN 'entries are missing'
                WHEN c.total <> 0 THEN 'the entries do not sum to zero'
                WHEN c.accounts < c.legs THEN 'an entry is of no account'
                WHEN c.first_at <> t.at OR c.last_at <> t.at THEN 'an entry is of another instant'
                ELSE 'the entries are of several currencies' END,
           0, c.total::bigint
    FROM (
        SELECT e.transfer_id, sum(e.amount) AS total, count(*) AS legs, count(a.id) AS accounts,
               min(a.currency) AS currency, max(a.currency) AS other, min(e.at) AS first_at,
               max(e.at) AS last_at, min(e.account_id) AS account_id
        FROM handfast_ledger.entries AS e
        LEFT JOIN handfast_ledger.accounts AS a ON a.id = e.account_id
        WHERE e.transfer_id > p_after AND e.transfer_id <= p_last
        GROUP BY e.transfer_id
    ) AS c
    FULL JOIN (
        SELECT t.id, t.at FROM handfast_ledger.transfers AS t WHERE t.id > p_after AND t.id <= p_last
    ) AS t ON t.id = c.transfer_id
    WHERE t.id IS NULL OR c.transfer_id IS NULL OR c.legs < 2 OR c.total <> 0 OR c.accounts < c.legs
       OR c.currency <> c.other OR c.first_at <> t.at OR c.last_at <> t.at
$$;
