-- Nothing of ours asks for the entries of a ticket, and every entry of a stake paid for the index. Who
-- does finds them by the reference of the transfer: stake:7, and stake:7:… for what became of it.
DROP INDEX handfast_ledger.entries_by_queue;
