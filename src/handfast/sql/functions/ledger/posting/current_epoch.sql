-- Which counter of transactions is running. A row of a transaction that has not been begun yet was
-- not written by this server: it came by a dump and restore, and from here on another epoch counts.
-- Everything of the epochs before has no running transaction, and is sealed first.
CREATE OR REPLACE FUNCTION handfast_ledger.current_epoch() RETURNS smallint
LANGUAGE plpgsql AS $$
DECLARE
    v_own    xid8 := pg_current_xact_id();
    v_epoch  smallint;
    v_newest xid8;
BEGIN
    SELECT max(e.number) INTO v_epoch FROM handfast_ledger.epochs AS e;
    SELECT greatest(
        (SELECT max(t.xid) FROM handfast_ledger.transfers AS t WHERE t.epoch = v_epoch),
        (SELECT max(a.xid) FROM handfast_ledger.accounts AS a WHERE a.epoch = v_epoch)
    ) INTO v_newest;
    IF v_newest > v_own AND v_newest >= pg_snapshot_xmax(pg_current_snapshot()) THEN
        v_epoch := v_epoch + 1;
        INSERT INTO handfast_ledger.epochs (number, began_at) VALUES (v_epoch, clock_timestamp())
        ON CONFLICT DO NOTHING;
    END IF;
    RETURN v_epoch;
END
$$;
