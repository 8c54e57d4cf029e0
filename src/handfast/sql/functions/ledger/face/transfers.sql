-- Every transfer; the source calls them transactions.
CREATE OR REPLACE VIEW handfast.transfers AS
SELECT t.id, t.at, t.kind::text AS kind, t.reference FROM handfast_ledger.transfers AS t;

COMMENT ON VIEW handfast.transfers IS 'one row for each transfer of the ledger';
