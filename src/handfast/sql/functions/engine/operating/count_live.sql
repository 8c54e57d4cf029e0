-- Live jobs by lane and state, counted no further than p_cap in each state (ready: in each lane),
-- because a count of millions costs seconds and tells nobody more. A state that was cut off is
-- counted among its first p_cap.
CREATE OR REPLACE FUNCTION handfast_engine.count_live(p_cap integer)
RETURNS TABLE (lane text, state text, jobs bigint, capped boolean)
LANGUAGE sql STABLE
SET enable_seqscan = off SET jit = off AS $$
    WITH RECURSIVE lanes AS (
        (
            SELECT l.lane FROM handfast_engine.live AS l WHERE l.state = 'ready' AND l.group_name IS NULL
            ORDER BY l.lane LIMIT 1
        )
        UNION ALL
        SELECT n.lane
        FROM lanes AS v
        CROSS JOIN LATERAL (
            SELECT l.lane FROM handfast_engine.live AS l
            WHERE l.state = 'ready' AND l.group_name IS NULL AND l.lane > v.lane
            ORDER BY l.lane LIMIT 1
        ) AS n
    ), seen AS (
        SELECT v.lane, 'ready' AS state
        FROM lanes AS v
        CROSS JOIN LATERAL (
            SELECT 1 FROM handfast_engine.live AS l
            WHERE l.state = 'ready' AND l.group_name IS NULL AND l.lane = v.lane LIMIT p_cap
        ) AS each
        UNION ALL
        (
            SELECT l.lane, 'ready' FROM handfast_engine.live AS l
            WHERE l.state = 'ready' AND l.group_name IS NOT NULL LIMIT p_cap
        )
        UNION ALL
        (
            SELECT l.lane, 'scheduled' FROM handfast_engine.live AS l
            WHERE l.state = 'scheduled' ORDER BY l.due_at LIMIT p_cap
        )
        UNION ALL
        (SELECT l.lane, 'running' FROM handfast_engine.live AS l WHERE l.state = 'running' LIMIT p_cap)
        UNION ALL
        (SELECT l.lane, 'blocked' FROM handfast_engine.live AS l WHERE l.state = 'blocked' LIMIT p_cap)
    )
    SELECT s.lane, s.state, count(*),
           CASE WHEN s.state = 'ready' THEN count(*) >= p_cap
                ELSE sum(count(*)) OVER (PARTITION BY s.state) >= p_cap END
    FROM seen AS s GROUP BY s.lane, s.state ORDER BY s.lane, s.state
$$;
