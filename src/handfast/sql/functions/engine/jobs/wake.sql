-- A hint that there is work, for workers that sleep: [lane, kind, …] with the kinds of p_kinds, or
-- [lane] for any. Only when one sleeps that can do it: NOTIFY takes a lock on the whole server at
-- commit, which a busy lane could not afford. Polling is the truth underneath.
CREATE OR REPLACE FUNCTION handfast_engine.wake(p_lanes text[], p_kinds text[] DEFAULT NULL) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_lane text;
    v_told text;
BEGIN
    FOREACH v_lane IN ARRAY coalesce(p_lanes, '{}') LOOP
        IF EXISTS (
            SELECT 1 FROM handfast_engine.workers AS w
            WHERE w.idle AND w.ended_at IS NULL AND v_lane = ANY (w.lanes)
              AND (p_kinds IS NULL OR w.kinds IS NULL OR w.kinds && p_kinds)
        ) THEN
            -- Spelled as the enqueues spell it: the same twice in a transaction is told once.
            v_told := to_json(v_lane || p_kinds)::text;
            IF octet_length(v_told) > 7000 THEN  -- a notification has less than 8000
                v_told := to_json(ARRAY[v_lane])::text;
            END IF;
            PERFORM pg_notify('handfast_ready', v_told);
        END IF;
    END LOOP;
END
$$;
