-- The moment will not come: every waiting job that hangs on it is cancelled. Setting the anchor
-- again brings them back. Answers how many were cancelled.
CREATE OR REPLACE FUNCTION engine.cancel_anchor(p_name text, p_reason text) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
    v_job   record;
    v_count integer := 0;
BEGIN
    UPDATE engine.anchors AS a SET cancelled = true, moved_at = db.now()
    WHERE a.name = p_name AND NOT a.cancelled;
    FOR v_job IN
        SELECT l.id, l.anchor_offset FROM engine.live AS l
        WHERE l.anchor = p_name AND l.state IN ('scheduled', 'ready', 'blocked')
        ORDER BY l.id FOR UPDATE
    LOOP
        IF engine.withdraw(v_job.id, 'cancelled', p_reason) THEN
            INSERT INTO engine.anchored_ends (anchor, job_id, anchor_offset)
            VALUES (p_name, v_job.id, v_job.anchor_offset)
            ON CONFLICT (anchor, job_id) DO NOTHING;
            v_count := v_count + 1;
        END IF;
    END LOOP;
    RETURN v_count;
END
$$;
