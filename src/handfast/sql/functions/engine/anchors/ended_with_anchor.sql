-- A job that ran while its anchor was cancelled, and now waits again, is cancelled like those that
-- waited then.
CREATE OR REPLACE FUNCTION handfast_engine.ended_with_anchor(p_id bigint) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    v_job handfast_engine.live;
BEGIN
    SELECT l.* INTO v_job FROM handfast_engine.live AS l JOIN handfast_engine.anchors AS a ON a.name = l.anchor
    WHERE l.id = p_id AND a.cancelled;
    RETURN FOUND AND handfast_engine.end_with_anchor(v_job, 'its anchor is cancelled');
END
$$;
