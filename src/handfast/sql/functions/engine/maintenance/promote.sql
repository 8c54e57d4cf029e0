-- Scheduled jobs whose time has come become ready, up to p_limit of them. Answers how many, and
-- when the next one is due.
CREATE OR REPLACE FUNCTION handfast_engine.promote(
    p_limit integer, OUT promoted integer, OUT next_due timestamptz
)
LANGUAGE plpgsql
SET enable_seqscan = off SET jit = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    v_now   timestamptz := handfast_db.now();
    v_ids   bigint[];
    v_lanes text[];
    v_kinds text[];
BEGIN
    v_ids := ARRAY(
        SELECT l.id FROM handfast_engine.live AS l
        WHERE l.state = 'scheduled' AND l.due_at <= v_now
        ORDER BY l.due_at LIMIT p_limit FOR UPDATE SKIP LOCKED
    );
    promoted := cardinality(v_ids);
    IF promoted > 0 THEN
        WITH risen AS (
            UPDATE handfast_engine.live AS l SET state = 'ready' WHERE l.id = ANY (v_ids)
            RETURNING l.lane, l.kind
        )
        SELECT array_agg(DISTINCT r.lane), array_agg(DISTINCT r.kind) INTO v_lanes, v_kinds
        FROM risen AS r;
        PERFORM handfast_engine.wake(v_lanes, v_kinds);
    END IF;
    SELECT l.due_at INTO next_due FROM handfast_engine.live AS l
    WHERE l.state = 'scheduled' AND l.due_at > v_now ORDER BY l.due_at LIMIT 1;
END
$$;
