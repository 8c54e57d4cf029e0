-- After every statement that adds entries: each transfer of it is whole and sums to zero, within one
-- currency, between accounts that exist, and is of this transaction, so that nobody adds a leg to a
-- transfer that is committed. Looked at once for a statement, however many transfers it brings; a
-- deferred trigger would be queued for each row, and an array on the transfer would bind no entry.
--
-- Subqueries, not joins: a plan that was made for a small table of accounts would be kept for a large
-- one.
CREATE OR REPLACE FUNCTION handfast_ledger.check_entries() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
    v_wrong record;
BEGIN
    SELECT c.transfer_id, c.total, c.legs, c.here, c.accounts, c.currencies INTO v_wrong
    FROM (
        SELECT e.transfer_id, sum(e.amount) AS total, count(*) AS legs, count(e.currency) AS accounts,
               EXISTS (SELECT 1 FROM handfast_ledger.transfers AS t
                       WHERE t.id = e.transfer_id AND t.xid = pg_current_xact_id()) AS here,
               CASE WHEN min(e.currency) = max(e.currency) THEN 1 ELSE 2 END AS currencies
        FROM (
            SELECT a.transfer_id, a.amount,
                   (SELECT o.currency FROM handfast_ledger.accounts AS o
                    WHERE o.id = a.account_id AND (o.balance IS NULL) = (a.balance IS NULL)) AS currency
            FROM added AS a
        ) AS e
        GROUP BY e.transfer_id
    ) AS c
    WHERE c.total <> 0 OR c.legs < 2 OR NOT c.here OR c.accounts < c.legs OR c.currencies <> 1
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'the entries of transfer % are not a whole one: % legs that sum to %',
            v_wrong.transfer_id, v_wrong.legs, v_wrong.total
            USING ERRCODE = 'check_violation', SCHEMA = 'handfast_ledger', TABLE = 'entries',
                  CONSTRAINT = CASE
                      WHEN v_wrong.accounts < v_wrong.legs THEN 'entry_account'
                      WHEN v_wrong.currencies <> 1 THEN 'transfer_one_currency'
                      WHEN NOT v_wrong.here THEN 'transfer_of_one_transaction'
                      ELSE 'transfer_balanced' END;
    END IF;
    RETURN NULL;
END
$$;
