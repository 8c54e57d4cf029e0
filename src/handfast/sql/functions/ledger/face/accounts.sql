-- Every account of the ledger; the balance is null of the platform's, which is derived.
CREATE OR REPLACE VIEW handfast.accounts AS
SELECT a.id, a.kind::text AS kind, a.owner, a.currency, a.balance, a.opened_at, a.changed_at
FROM handfast_ledger.accounts AS a;

COMMENT ON VIEW handfast.accounts IS 'one row for each account of the ledger';
