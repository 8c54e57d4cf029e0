-- The same as handfast_engine.ready_kinds, but behind a floor, [priority, instant, id], and of its priority
-- alone. Of each kind exactly the version that is named: to find out which ones there are means to
-- begin at the front.
CREATE OR REPLACE FUNCTION handfast_engine.ready_kinds_behind(
    p_lanes text[], p_kinds text[], p_versions smallint[], p_floor jsonb
) RETURNS handfast_engine.ready_kind[]
LANGUAGE plpgsql AS $$
DECLARE
    v_priority smallint := p_floor ->> 0;
    v_due      timestamptz := p_floor ->> 1;
    v_id       bigint := coalesce((p_floor ->> 2)::bigint, 0);
BEGIN
    IF p_kinds IS NULL OR p_versions IS NULL THEN
        RETURN ARRAY(
            SELECT (r.lane, r.kind, r.version, v_priority, v_due, v_id + 1)::handfast_engine.ready_kind
            FROM unnest(handfast_engine.ready_kinds(p_lanes, p_kinds, p_versions)) AS r
        );
    END IF;
    RETURN ARRAY(
        SELECT (n.lane, k.kind, k.version, v_priority, r.due_at, r.id)::handfast_engine.ready_kind
        FROM unnest(p_lanes) AS n(lane)
        CROSS JOIN unnest(p_kinds, p_versions) AS k(kind, version)
        CROSS JOIN LATERAL (
            SELECT l.due_at, l.id FROM handfast_engine.live AS l
            WHERE l.lane = n.lane AND l.kind = k.kind AND l.version = k.version
              AND l.priority = v_priority AND (l.due_at, l.id) > (v_due, v_id)
              AND l.state = 'ready' AND l.group_name IS NULL
            ORDER BY l.due_at, l.id LIMIT 1
        ) AS r
    );
END
$$;
