-- The kinds that have ready jobs in groups on this lane: one step of the index for each kind of each
-- group.
CREATE OR REPLACE FUNCTION handfast_engine.ready_grouped_kinds(p_lane text) RETURNS SETOF text
LANGUAGE sql STABLE
SET enable_seqscan = off SET jit = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
    WITH RECURSIVE step AS (
        (
            SELECT l.group_name, l.kind FROM handfast_engine.live AS l
            WHERE l.lane = p_lane AND l.state = 'ready' AND l.group_name IS NOT NULL
            ORDER BY l.group_name, l.kind LIMIT 1
        )
        UNION ALL
        SELECT n.group_name, n.kind FROM step AS s CROSS JOIN LATERAL (
            SELECT l.group_name, l.kind FROM handfast_engine.live AS l
            WHERE l.lane = p_lane AND l.state = 'ready' AND l.group_name IS NOT NULL
              AND (l.group_name, l.kind) > (s.group_name, s.kind)
            ORDER BY l.group_name, l.kind LIMIT 1
        ) AS n
    )
    SELECT DISTINCT s.kind FROM step AS s
$$;
