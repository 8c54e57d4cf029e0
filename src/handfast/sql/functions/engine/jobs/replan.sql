-- Waiting jobs that hang on an anchor get another offset, priority, lane and deadline (in seconds from
-- the anchor; null is none). A job that has failed before is tried again when it was to be, or later.
-- Those that wait for their anchor to be reinstated come back so. Running ones finish as they began.
-- Row i is the i-th of each array; locked in order of id. Answers how many were changed.
CREATE OR REPLACE FUNCTION handfast_engine.replan(
    p_ids bigint[], p_offsets interval[], p_priorities smallint[], p_lanes text[],
    p_deadlines interval[]
) RETURNS integer
LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    v_now   timestamptz := handfast_db.now();
    v_count integer;
    v_lanes text[];
BEGIN
    UPDATE handfast_engine.anchored_ends AS e
    SET anchor_offset = n."offset", options = jsonb_strip_nulls(e.options || jsonb_build_object(
            'priority', n.priority, 'lane', n.lane, 'deadline', a.at + n.deadline))
    FROM unnest(p_ids, p_offsets, p_priorities, p_lanes, p_deadlines)
         AS n(id, "offset", priority, lane, deadline), handfast_engine.anchors AS a
    WHERE e.job_id = n.id AND a.name = e.anchor;

    PERFORM 1 FROM handfast_engine.live AS l WHERE l.id = ANY (p_ids) ORDER BY l.id FOR UPDATE;
    WITH wanted AS (
        SELECT l.id, n."offset", n.priority, n.lane, a.at + n.deadline AS deadline_at,
               a.at + n."offset" AS first_due_at,
               CASE WHEN l.attempt = 0 THEN a.at + n."offset"
                    ELSE greatest(l.due_at, a.at + n."offset") END AS due_at
        FROM unnest(p_ids, p_offsets, p_priorities, p_lanes, p_deadlines)
             AS n(id, "offset", priority, lane, deadline)
        JOIN handfast_engine.live AS l ON l.id = n.id AND l.state IN ('scheduled', 'ready', 'blocked')
        JOIN handfast_engine.anchors AS a ON a.name = l.anchor
    ), changed AS (
        UPDATE handfast_engine.live AS l
        SET anchor_offset = w."offset", due_at = w.due_at, first_due_at = w.first_due_at,
            deadline_at = w.deadline_at, base_priority = w.priority, lane = w.lane,
            priority = coalesce(handfast_engine.escalated(w.priority, w.deadline_at - v_now), w.priority),
            state = CASE WHEN l.state = 'blocked' THEN l.state
                         WHEN w.due_at > v_now THEN 'scheduled'::handfast_engine.job_state
                         ELSE 'ready'::handfast_engine.job_state END
        FROM wanted AS w
        WHERE l.id = w.id AND (l.anchor_offset, l.base_priority, l.lane, l.deadline_at)
              IS DISTINCT FROM (w."offset", w.priority, w.lane::handfast_engine.lane_name, w.deadline_at)
        RETURNING l.lane, l.state
    )
    SELECT count(*), array_agg(DISTINCT c.lane) FILTER (WHERE c.state = 'ready')
    INTO v_count, v_lanes FROM changed AS c;
    PERFORM handfast_engine.wake(v_lanes);
    RETURN v_count;
END
$$;
