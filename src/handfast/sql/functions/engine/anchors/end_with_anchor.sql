-- A job that hangs on a cancelled anchor ends with it, and is remembered for the day on which the
-- anchor is reinstated. True if it was still there to end.
CREATE OR REPLACE FUNCTION handfast_engine.end_with_anchor(p_job handfast_engine.live, p_reason text) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO handfast_engine.anchored_ends (anchor, job_id, anchor_offset, options, payload)
    VALUES (p_job.anchor, p_job.id, p_job.anchor_offset, jsonb_strip_nulls(jsonb_build_object(
        'lane', p_job.lane, 'priority', p_job.base_priority, 'group', p_job.group_name,
        'version', p_job.version, 'deadline', p_job.deadline_at
    )), p_job.payload)
    ON CONFLICT (anchor, job_id) DO UPDATE
    SET anchor_offset = excluded.anchor_offset, options = excluded.options, payload = excluded.payload;
    DELETE FROM handfast_engine.live AS l WHERE l.id = p_job.id;
    IF NOT FOUND THEN  -- skipped a moment ago, with a prerequisite that hung on the same anchor
        RETURN false;
    END IF;
    PERFORM handfast_engine.note_end(p_job, 'cancelled', 'cancelled', p_reason);
    RETURN true;
END
$$;
