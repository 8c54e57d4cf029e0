-- What is small and old and in no partition: up to p_limit rows of each. Answers how many went.
CREATE OR REPLACE FUNCTION handfast_engine.prune(p_before timestamptz, p_limit integer) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
    v_count integer := 0;
    v_step  integer;
BEGIN
    DELETE FROM handfast_engine.attempts_other AS a WHERE a.ctid = ANY (ARRAY(
        SELECT o.ctid FROM handfast_engine.attempts_other AS o
        WHERE o.finished_at < p_before LIMIT p_limit FOR UPDATE SKIP LOCKED
    ));
    GET DIAGNOSTICS v_step = ROW_COUNT;
    v_count := v_count + v_step;
    DELETE FROM handfast_engine.workers AS w WHERE w.id = ANY (ARRAY(
        SELECT o.id FROM handfast_engine.workers AS o
        WHERE o.ended_at < p_before LIMIT p_limit FOR UPDATE SKIP LOCKED
    ));
    GET DIAGNOSTICS v_step = ROW_COUNT;
    v_count := v_count + v_step;
    -- No transaction of this server has counted so far: they came by a dump and restore. What is
    -- written from now on has to stand behind them.
    UPDATE handfast_engine.events AS e SET xid = '3' WHERE e.id = ANY (ARRAY(
        SELECT n.id FROM handfast_engine.events AS n
        WHERE n.xid >= pg_snapshot_xmax(pg_current_snapshot())
        ORDER BY n.xid, n.ordinal LIMIT p_limit FOR UPDATE SKIP LOCKED
    ));
    GET DIAGNOSTICS v_step = ROW_COUNT;
    v_count := v_count + v_step;
    DELETE FROM handfast_engine.events AS e WHERE e.id = ANY (ARRAY(
        SELECT o.id FROM (
            SELECT n.id, n.at FROM handfast_engine.events AS n
            ORDER BY n.xid, n.ordinal LIMIT p_limit FOR UPDATE SKIP LOCKED
        ) AS o WHERE o.at < p_before
    ));
    GET DIAGNOSTICS v_step = ROW_COUNT;
    v_count := v_count + v_step;
    DELETE FROM handfast_engine.user_events AS e WHERE e.ctid = ANY (ARRAY(
        SELECT o.ctid FROM handfast_engine.user_events AS o
        WHERE o.at < p_before ORDER BY o.at LIMIT p_limit FOR UPDATE SKIP LOCKED
    ));
    GET DIAGNOSTICS v_step = ROW_COUNT;
    v_count := v_count + v_step;
    -- What nobody took in all that time: its event is gone, and its consumer perhaps as well.
    DELETE FROM handfast_engine.outbox AS b WHERE (b.consumer, b.ordinal) IN (
        SELECT o.consumer, o.ordinal FROM (
            SELECT n.consumer, n.ordinal, n.event_id FROM handfast_engine.outbox AS n
            ORDER BY n.consumer, n.ordinal LIMIT p_limit FOR UPDATE SKIP LOCKED
        ) AS o
        WHERE NOT EXISTS (SELECT 1 FROM handfast_engine.events AS e WHERE e.id = o.event_id)
    );
    GET DIAGNOSTICS v_step = ROW_COUNT;
    v_count := v_count + v_step;
    DELETE FROM handfast_engine.sleepers AS s WHERE s.until < clock_timestamp() - interval '1 day';
    RETURN v_count;
END
$$;
