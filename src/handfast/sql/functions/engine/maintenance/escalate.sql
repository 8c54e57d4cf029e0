-- Raise the stored priority of waiting jobs whose deadline nears, so that claiming stays a scan of
-- one index.
CREATE OR REPLACE FUNCTION handfast_engine.escalate(p_limit integer) RETURNS integer
LANGUAGE plpgsql
SET enable_seqscan = off SET jit = off AS $$
DECLARE
    v_now   timestamptz := handfast_db.now();
    v_count integer;
BEGIN
    WITH nearing AS (
        SELECT l.id, handfast_engine.escalated(l.base_priority, l.deadline_at - v_now) AS priority
        FROM handfast_engine.live AS l
        WHERE l.deadline_at < v_now + interval '3 hours' AND l.priority > 1
          AND l.state IN ('scheduled', 'ready', 'blocked')
          AND l.priority > handfast_engine.escalated(l.base_priority, l.deadline_at - v_now)
        ORDER BY l.deadline_at LIMIT p_limit FOR UPDATE SKIP LOCKED
    )
    UPDATE handfast_engine.live AS l SET priority = n.priority FROM nearing AS n WHERE l.id = n.id;
    GET DIAGNOSTICS v_count = ROW_COUNT;
    RETURN v_count;
END
$$;
