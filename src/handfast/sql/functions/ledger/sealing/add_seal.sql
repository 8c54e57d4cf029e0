-- Writes a seal, and what the platform's accounts have come to at its end.
CREATE OR REPLACE FUNCTION handfast_ledger.add_seal(
    p_number bigint, p_epoch smallint, p_since xid8, p_until xid8, p_entries bigint, p_previous bytea,
    p_hash bytea
) RETURNS timestamptz
LANGUAGE plpgsql AS $$
DECLARE
    v_at timestamptz := handfast_db.now();
BEGIN
    INSERT INTO handfast_ledger.seals (
        number, epoch, since, until, entries, previous, hash, sealed_at, newest_at
    )
    SELECT p_number, p_epoch, p_since, p_until, p_entries, p_previous, p_hash, v_at, greatest(
        (SELECT max(t.at) FROM handfast_ledger.transfers AS t
         WHERE t.epoch = p_epoch AND t.xid >= p_since AND t.xid < p_until),
        (SELECT s.newest_at FROM handfast_ledger.seals AS s WHERE s.number = p_number - 1),
        '-infinity'
    );
    INSERT INTO handfast_ledger.seal_totals (seal, account_id, total)
    SELECT p_number, n.account_id, sum(n.total)
    FROM (
        SELECT t.account_id, t.total FROM handfast_ledger.seal_totals AS t WHERE t.seal = p_number - 1
        UNION ALL
        SELECT e.account_id, sum(e.amount)
        FROM handfast_ledger.transfers AS t
        JOIN handfast_ledger.entries AS e ON e.transfer_id = t.id
        WHERE t.epoch = p_epoch AND t.xid >= p_since AND t.xid < p_until AND e.balance IS NULL
        GROUP BY e.account_id
    ) AS n
    GROUP BY n.account_id;
    RETURN v_at;
END
$$;
