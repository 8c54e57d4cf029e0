-- What the next seal covers, if there is anything to seal: transactions of one epoch, from where the
-- last seal ended until before the oldest that is running, about p_transfers of them. All rows of one
-- transaction have one number, so no transfer is cut. Epochs before the current one have no running
-- transaction and come first. Who is here waits for others who are.
CREATE OR REPLACE FUNCTION handfast_ledger.next_seal(p_transfers integer) RETURNS TABLE (
    number bigint, epoch smallint, since xid8, until xid8, previous bytea
)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    v_current smallint;
    v_last    handfast_ledger.seals;
    v_bound   xid8;
    v_newest  xid8;
    v_found   bigint;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('handfast_ledger.seals', 0));
    v_current := handfast_ledger.current_epoch();
    SELECT s.* INTO v_last FROM handfast_ledger.seals AS s ORDER BY s.number DESC LIMIT 1;
    number := coalesce(v_last.number, 0) + 1;
    epoch := coalesce(v_last.epoch, 1);
    since := coalesce(v_last.until, '0'::xid8);
    previous := coalesce(v_last.hash, decode(repeat('00', 32), 'hex'));
    LOOP
        -- All below it have ended, of whichever database, and what they committed can be seen.
        v_bound := CASE WHEN epoch < v_current THEN '18446744073709551615'::xid8
                        ELSE pg_snapshot_xmin(pg_current_snapshot()) END;
        SELECT max(t.xid), count(*) INTO v_newest, v_found
        FROM (SELECT t.xid FROM handfast_ledger.transfers AS t
              WHERE t.epoch = next_seal.epoch AND t.xid >= next_seal.since AND t.xid < v_bound
              ORDER BY t.xid LIMIT p_transfers) AS t;
        IF v_found < p_transfers THEN
            SELECT greatest(v_newest, max(a.xid)) INTO v_newest FROM handfast_ledger.accounts AS a
            WHERE a.epoch = next_seal.epoch AND a.xid >= next_seal.since AND a.xid < v_bound;
        END IF;
        IF v_newest IS NOT NULL THEN
            until := (v_newest::text::numeric + 1)::text::xid8;
            RETURN NEXT;
            RETURN;
        END IF;
        EXIT WHEN epoch >= v_current;
        epoch := epoch + 1;
        since := '0'::xid8;
    END LOOP;
END
$$;
