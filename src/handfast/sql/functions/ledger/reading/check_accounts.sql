-- What is wrong with players' accounts of these ids: each balance must follow from the one before, in
-- the order of the index, and the last must be the one that is stored.
CREATE OR REPLACE FUNCTION handfast_ledger.check_accounts(p_after bigint, p_last bigint) RETURNS TABLE (
    account_id bigint, transfer_id bigint, problem text, expected bigint, found bigint
)
LANGUAGE sql STABLE AS $$
    WITH steps AS (
        SELECT a.id, a.balance AS stored, e.transfer_id, e.balance,
               coalesce(lag(e.balance) OVER entries, 0) + e.amount AS follows,
               lead(e.transfer_id) OVER entries IS NULL AS is_last
        FROM handfast_ledger.accounts AS a
        JOIN handfast_ledger.entries AS e ON e.account_id = a.id
        WHERE a.id > p_after AND a.id <= p_last AND a.owner IS NOT NULL
        WINDOW entries AS (PARTITION BY a.id ORDER BY e.at, e.transfer_id, e.line)
    )
    SELECT s.id, s.transfer_id, 'a balance does not follow from the one before', s.follows, s.balance
    FROM steps AS s WHERE s.follows IS DISTINCT FROM s.balance
    UNION ALL
    SELECT s.id, s.transfer_id, 'the stored balance is not that of the newest entry', s.balance, s.stored
    FROM steps AS s WHERE s.is_last AND s.stored IS DISTINCT FROM s.balance
    UNION ALL
    SELECT a.id, NULL, 'there is a balance without an entry', 0, a.balance
    FROM handfast_ledger.accounts AS a
    WHERE a.id > p_after AND a.id <= p_last AND a.owner IS NOT NULL AND a.balance <> 0
      AND NOT EXISTS (SELECT 1 FROM handfast_ledger.entries AS e WHERE e.account_id = a.id)
$$;
