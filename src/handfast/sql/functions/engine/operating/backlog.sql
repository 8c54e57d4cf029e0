-- How the ready jobs stand: how many wait for more than a minute, and since when the oldest one.
-- Whether anybody can do them does not matter. Reads the index of the ready jobs by jumping from one
-- (lane, kind, version, priority) to the next, and stops counting at p_cap: the cost does not grow
-- with the backlog. Jobs in concurrency groups are looked at up to p_cap of them.
CREATE OR REPLACE FUNCTION handfast_engine.backlog(
    p_cap integer, OUT overdue bigint, OUT oldest_due timestamptz
)
LANGUAGE plpgsql
SET enable_seqscan = off SET jit = off AS $$
DECLARE
    v_limit timestamptz := handfast_db.now() - interval '1 minute';
BEGIN
    WITH RECURSIVE level AS (
        (
            SELECT l.lane, l.kind, l.version, l.priority FROM handfast_engine.live AS l
            WHERE l.state = 'ready' AND l.group_name IS NULL
            ORDER BY l.lane, l.kind, l.version, l.priority LIMIT 1
        )
        UNION ALL
        SELECT n.*
        FROM level AS v
        CROSS JOIN LATERAL (
            SELECT l.lane, l.kind, l.version, l.priority FROM handfast_engine.live AS l
            WHERE l.state = 'ready' AND l.group_name IS NULL
              AND (l.lane, l.kind, l.version, l.priority)
                  > (v.lane, v.kind, v.version, v.priority)
            ORDER BY l.lane, l.kind, l.version, l.priority LIMIT 1
        ) AS n
    ), grouped AS (
        SELECT l.due_at FROM handfast_engine.live AS l
        WHERE l.state = 'ready' AND l.group_name IS NOT NULL LIMIT p_cap
    ), first AS (
        SELECT f.due_at
        FROM level AS v
        CROSS JOIN LATERAL (
            SELECT l.due_at FROM handfast_engine.live AS l
            WHERE l.state = 'ready' AND l.group_name IS NULL
              AND l.lane = v.lane AND l.kind = v.kind AND l.version = v.version
              AND l.priority = v.priority
            ORDER BY l.due_at LIMIT 1
        ) AS f
        UNION ALL
        SELECT g.due_at FROM grouped AS g
    ), late AS (
        SELECT 1
        FROM level AS v
        CROSS JOIN LATERAL (
            SELECT FROM handfast_engine.live AS l
            WHERE l.state = 'ready' AND l.group_name IS NULL
              AND l.lane = v.lane AND l.kind = v.kind AND l.version = v.version
              AND l.priority = v.priority AND l.due_at < v_limit
            LIMIT p_cap
        ) AS each
        UNION ALL
        SELECT 1 FROM grouped AS g WHERE g.due_at < v_limit
        LIMIT p_cap
    )
    SELECT (SELECT count(*) FROM late), (SELECT min(f.due_at) FROM first AS f)
    INTO overdue, oldest_due;
END
$$;
