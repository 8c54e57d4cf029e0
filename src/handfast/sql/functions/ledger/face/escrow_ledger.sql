-- Every entry of every transfer, with its account.
CREATE OR REPLACE VIEW handfast.escrow_ledger AS
SELECT e.transfer_id, e.line::integer AS line, e.at, t.kind::text AS transfer_kind, e.kind::text AS kind,
       a.kind::text AS account, a.owner, a.currency, e.amount, e.balance, e.queue_id, e.session_id
FROM handfast_ledger.entries AS e
JOIN handfast_ledger.transfers AS t ON t.id = e.transfer_id
JOIN handfast_ledger.accounts AS a ON a.id = e.account_id;

COMMENT ON VIEW handfast.escrow_ledger IS 'one row for each entry of the ledger';
