-- The moment will not come: every waiting job that hangs on it is cancelled. Setting the anchor
-- again brings them back. Answers how many were cancelled.
CREATE OR REPLACE FUNCTION engine.cancel_anchor(p_name text, p_reason text) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
    v_jobs  engine.live[];
    v_job   engine.live;
    v_count integer := 0;
BEGIN
    UPDATE engine.anchors AS a SET cancelled = true, moved_at = db.now()
    WHERE a.name = p_name AND NOT a.cancelled;
    -- All of them first: one that is skipped because its prerequisite goes is to come back too.
    v_jobs := ARRAY(
        SELECT l FROM engine.live AS l
        WHERE l.anchor = p_name AND l.state IN ('scheduled', 'ready', 'blocked')
        ORDER BY l.id FOR UPDATE
    );
    FOREACH v_job IN ARRAY v_jobs LOOP
        PERFORM engine.end_with_anchor(v_job, p_reason);
        v_count := v_count + 1;
    END LOOP;
    RETURN v_count;
END
$$;
