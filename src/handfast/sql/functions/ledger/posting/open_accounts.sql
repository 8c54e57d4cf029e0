-- Opens what items credit and nobody has opened yet, in one order for all callers. What is only taken
-- from is not opened: there is nothing to take.
CREATE OR REPLACE FUNCTION handfast_ledger.open_accounts(p_items jsonb) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_epoch smallint := handfast_ledger.current_epoch();
BEGIN
    INSERT INTO handfast_ledger.accounts (kind, owner, currency, balance, epoch, xid, opened_at, changed_at)
    SELECT m.account::handfast_ledger.account_kind, m.owner, m.currency,
           CASE WHEN m.owner IS NOT NULL THEN 0 END, v_epoch, pg_current_xact_id(), n.now, n.now
    FROM (
        SELECT DISTINCT ON (l.owner, l.account, CASE WHEN l.owner IS NULL THEN l.currency END)
               l.account, l.owner, l.currency
        FROM handfast_ledger.legs_of(p_items) AS l
        WHERE l.account <> 'funds' AND (l.owner IS NULL OR l.amount > 0)
          AND handfast_ledger.account_called(l.account, l.owner, l.currency) IS NULL
        ORDER BY l.owner, l.account, CASE WHEN l.owner IS NULL THEN l.currency END, l.item
    ) AS m, handfast_db.now() AS n(now)
    ON CONFLICT DO NOTHING;
END
$$;
