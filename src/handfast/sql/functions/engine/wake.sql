-- A hint that there is work, for workers that sleep. Only when one does: NOTIFY takes a lock on
-- the whole server at commit, which a busy lane could not afford. Polling is the truth underneath.
CREATE OR REPLACE FUNCTION engine.wake(p_lanes text[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_lane text;
BEGIN
    FOREACH v_lane IN ARRAY coalesce(p_lanes, '{}') LOOP
        IF EXISTS (
            SELECT 1 FROM engine.workers AS w
            WHERE w.idle AND w.ended_at IS NULL AND v_lane = ANY (w.lanes)
        ) THEN
            PERFORM pg_notify('handfast_ready', v_lane);
        END IF;
    END LOOP;
END
$$;
