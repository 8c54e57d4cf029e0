-- Which of these kinds have ready jobs, in which versions, and where each begins. One step in the
-- index for each, however many jobs there are; what the caller does not know is never touched.
-- Without kinds: everything that is ready on the lanes.
CREATE OR REPLACE FUNCTION handfast_engine.ready_kinds(
    p_lanes text[], p_kinds text[], p_versions smallint[]
) RETURNS handfast_engine.ready_kind[]
LANGUAGE plpgsql AS $$
DECLARE
    v_all   handfast_engine.ready_kind[] := '{}';
    v_found handfast_engine.ready_kind[];
    v_older boolean;
BEGIN
    IF p_kinds IS NULL THEN
        RETURN ARRAY(
            WITH RECURSIVE step AS (
                SELECT r.* FROM unnest(p_lanes) AS n(lane) CROSS JOIN LATERAL (
                    SELECT l.lane, l.kind, l.version, l.priority, l.due_at, l.id
                    FROM handfast_engine.live AS l
                    WHERE l.lane = n.lane AND l.state = 'ready' AND l.group_name IS NULL
                    ORDER BY l.kind, l.version, l.priority, l.due_at, l.id LIMIT 1
                ) AS r
                UNION ALL
                SELECT r.* FROM step AS b CROSS JOIN LATERAL (
                    SELECT l.lane, l.kind, l.version, l.priority, l.due_at, l.id
                    FROM handfast_engine.live AS l
                    WHERE l.lane = b.lane AND (l.kind, l.version) > (b.kind, b.version)
                      AND l.state = 'ready' AND l.group_name IS NULL
                    ORDER BY l.kind, l.version, l.priority, l.due_at, l.id LIMIT 1
                ) AS r
            )
            SELECT (s.lane, s.kind, s.version, s.priority, s.due_at, s.id)::handfast_engine.ready_kind
            FROM step AS s
        );
    END IF;
    SELECT array_agg((n.lane, k.kind, r.version, r.priority, r.due_at, r.id)::handfast_engine.ready_kind),
           bool_or(r.version < coalesce(k.newest, 32767))
    INTO v_found, v_older
    FROM unnest(p_lanes) AS n(lane)
    CROSS JOIN unnest(p_kinds, p_versions) AS k(kind, newest)
    CROSS JOIN LATERAL (
        SELECT l.version, l.priority, l.due_at, l.id FROM handfast_engine.live AS l
        WHERE l.lane = n.lane AND l.kind = k.kind AND l.version <= coalesce(k.newest, 32767)
          AND l.state = 'ready' AND l.group_name IS NULL
        ORDER BY l.version, l.priority, l.due_at, l.id LIMIT 1
    ) AS r;
    WHILE v_found IS NOT NULL LOOP
        v_all := v_all || v_found;
        EXIT WHEN NOT v_older;
        SELECT array_agg((b.lane, b.kind, r.version, r.priority, r.due_at, r.id)::handfast_engine.ready_kind),
               bool_or(r.version < coalesce(k.newest, 32767))
        INTO v_found, v_older
        FROM unnest(v_found) AS b
        JOIN unnest(p_kinds, p_versions) AS k(kind, newest) ON k.kind = b.kind
        CROSS JOIN LATERAL (
            SELECT l.version, l.priority, l.due_at, l.id FROM handfast_engine.live AS l
            WHERE l.lane = b.lane AND l.kind = b.kind
              AND l.version > b.version AND l.version <= coalesce(k.newest, 32767)
              AND l.state = 'ready' AND l.group_name IS NULL
            ORDER BY l.version, l.priority, l.due_at, l.id LIMIT 1
        ) AS r;
    END LOOP;
    RETURN v_all;
END
$$;
