-- The transfers in which a ticket is named: each has an entry of escrow that names it, so that one is
-- enough, and a stake writes this index once and not four times.
CREATE INDEX entries_of_ticket ON handfast_ledger.entries (queue_id)
WHERE queue_id IS NOT NULL AND balance IS NULL AND kind <> 'COMMISSION';
