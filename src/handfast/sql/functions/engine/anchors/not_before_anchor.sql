-- When a job that stops running may run again: not before its anchor says so, for the anchor may
-- have moved while it ran. Reads without a lock: whoever moves an anchor waits for our live row and
-- then re-times what waits.
CREATE OR REPLACE FUNCTION handfast_engine.not_before_anchor(p_job handfast_engine.live, p_due timestamptz)
RETURNS timestamptz
LANGUAGE plpgsql AS $$
BEGIN
    IF p_job.anchor IS NULL THEN
        RETURN p_due;
    END IF;
    RETURN greatest(p_due, (
        SELECT a.at + p_job.anchor_offset FROM handfast_engine.anchors AS a WHERE a.name = p_job.anchor
    ));
END
$$;
