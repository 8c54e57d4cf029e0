-- A hint that there is work, for workers that sleep. Only when one does: NOTIFY takes a lock on
-- the whole server at commit, which a busy lane could not afford. Polling is the truth underneath.
CREATE OR REPLACE FUNCTION engine.wake(p_lanes text[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('handfast_ready', sleeping.lane)
    FROM (
        SELECT DISTINCT l.lane
        FROM engine.workers AS w, unnest(w.lanes) AS l(lane)
        WHERE w.idle AND w.ended_at IS NULL AND l.lane = ANY (p_lanes)
    ) AS sleeping;
END
$$;
