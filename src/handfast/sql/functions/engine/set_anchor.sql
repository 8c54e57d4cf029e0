-- Place an anchor, or move it: every waiting job that hangs on it is re-timed in this transaction.
-- Running ones finish. A cancelled anchor is reinstated by setting it. Answers how many moved.
CREATE OR REPLACE FUNCTION engine.set_anchor(p_name text, p_at timestamptz) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
    v_now     timestamptz := db.now();
    v_was     engine.anchors;
    v_revived bigint[] := '{}';
    v_count   integer;
    v_lanes   text[];
    v_job     record;
BEGIN
    SELECT * INTO v_was FROM engine.anchors AS a WHERE a.name = p_name FOR UPDATE;
    INSERT INTO engine.anchors AS a (name, at, moved_at) VALUES (p_name, p_at, v_now)
    ON CONFLICT (name) DO UPDATE SET at = excluded.at, cancelled = false, moved_at = excluded.moved_at
    WHERE a.at <> excluded.at OR a.cancelled;
    IF v_was.name IS NULL OR (v_was.at = p_at AND NOT v_was.cancelled) THEN
        RETURN 0;
    END IF;
    IF v_was.cancelled THEN  -- reinstated: what was cancelled with it comes back, as it was
        FOR v_job IN
            SELECT c.job_id, c.options || jsonb_strip_nulls(jsonb_build_object(
                'anchor', p_name, 'offset', c.anchor_offset,
                'deadline', (c.options ->> 'deadline')::timestamptz + (p_at - v_was.at)
            )) AS options
            FROM engine.anchored_ends AS c WHERE c.anchor = p_name ORDER BY c.job_id
        LOOP
            IF engine.revive(v_job.job_id, NULL, NULL, v_job.options) THEN
                v_revived := v_revived || v_job.job_id;
            END IF;
        END LOOP;
        DELETE FROM engine.anchored_ends AS c WHERE c.anchor = p_name;
    END IF;
    PERFORM 1 FROM engine.live AS l WHERE l.anchor = p_name ORDER BY l.id FOR UPDATE;
    WITH moved AS (
        UPDATE engine.live AS l
        SET due_at = p_at + l.anchor_offset, first_due_at = p_at + l.anchor_offset,
            state = CASE WHEN l.state = 'blocked' THEN l.state
                         WHEN p_at + l.anchor_offset > v_now THEN 'scheduled'::engine.job_state
                         ELSE 'ready'::engine.job_state END,
            deadline_at = l.deadline_at + (p_at - v_was.at),
            priority = coalesce(engine.escalated(
                l.base_priority, l.deadline_at + (p_at - v_was.at) - v_now), l.base_priority)
        WHERE l.anchor = p_name AND l.state IN ('scheduled', 'ready', 'blocked')
          AND NOT l.id = ANY (v_revived)
        RETURNING l.lane, l.state
    )
    SELECT cardinality(v_revived) + count(*), array_agg(DISTINCT m.lane) FILTER (WHERE m.state = 'ready')
    INTO v_count, v_lanes FROM moved AS m;
    IF v_lanes IS NOT NULL THEN
        PERFORM engine.wake(v_lanes);
    END IF;
    RETURN v_count;
END
$$;
