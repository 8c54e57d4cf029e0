-- Ready jobs of these kinds (as for handfast_engine.claim) whose group has room. The group's row is locked,
-- so that two claims cannot both see the same room; a group that somebody else is claiming from is
-- left to them, and one that has nothing for us is not touched. Running jobs are counted, not kept
-- in a counter: a rescued job frees its place by no longer running. Up to p_limit of each group: the
-- caller chooses among all of them by priority.
--
-- Groups may share places (handfast_engine.groups.shares). They are asked in random order, so that none of
-- them always finds the last place taken.
CREATE OR REPLACE FUNCTION handfast_engine.claimable_in_groups(
    p_lanes text[], p_kinds text[], p_versions smallint[], p_limit integer
) RETURNS bigint[]
LANGUAGE plpgsql
SET enable_seqscan = off SET jit = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    v_group  record;
    v_room   integer;
    v_shared jsonb := '{}';  -- the room that is left to those who share it, by name
    v_more   bigint[];
    v_ids    bigint[] := '{}';
BEGIN
    FOR v_group IN
        WITH RECURSIVE present AS (  -- a loose scan: one step per kind of a group, not per job
            SELECT f.* FROM unnest(p_lanes) AS n(lane) CROSS JOIN LATERAL (
                SELECT l.lane, l.group_name, l.kind, l.version FROM handfast_engine.live AS l
                WHERE l.lane = n.lane AND l.state = 'ready' AND l.group_name IS NOT NULL
                ORDER BY l.group_name, l.kind, l.version LIMIT 1
            ) AS f
            UNION ALL
            SELECT f.* FROM present AS p CROSS JOIN LATERAL (
                SELECT l.lane, l.group_name, l.kind, l.version FROM handfast_engine.live AS l
                WHERE l.lane = p.lane AND l.state = 'ready' AND l.group_name IS NOT NULL
                  AND (l.group_name, l.kind, l.version) > (p.group_name, p.kind, p.version)
                ORDER BY l.group_name, l.kind, l.version LIMIT 1
            ) AS f
        ), known AS (
            SELECT p.lane, p.group_name, array_agg(p.kind) AS kinds, array_agg(p.version) AS versions
            FROM present AS p
            WHERE p_kinds IS NULL OR EXISTS (
                SELECT 1 FROM unnest(p_kinds, p_versions) AS k(kind, newest)
                WHERE k.kind = p.kind AND p.version <= coalesce(k.newest, p.version)
            )
            GROUP BY p.lane, p.group_name
        )
        SELECT k.lane, k.kinds, k.versions, g.name, g.max_running, g.shares
        FROM known AS k JOIN handfast_engine.groups AS g ON g.name = k.group_name
        ORDER BY CASE WHEN g.shares IS NOT NULL THEN random() END
        FOR UPDATE OF g SKIP LOCKED
    LOOP
        SELECT v_group.max_running - count(*) INTO v_room
        FROM handfast_engine.live AS l
        WHERE l.state = 'running' AND l.group_name = v_group.name;
        v_room := v_room - (
            SELECT count(*) FROM handfast_engine.live AS l
            WHERE l.id = ANY (v_ids) AND l.group_name = v_group.name
        );
        IF v_group.shares IS NOT NULL THEN
            IF NOT v_shared ? v_group.shares THEN
                v_shared := v_shared
                    || jsonb_build_object(v_group.shares, handfast_engine.shared_room(v_group.shares));
            END IF;
            v_room := least(v_room, (v_shared ->> v_group.shares)::integer);
        END IF;
        IF v_room > 0 THEN
            v_more := ARRAY(
                SELECT l.id
                FROM (
                    SELECT c.* FROM unnest(v_group.kinds, v_group.versions) AS k(kind, version)
                    CROSS JOIN LATERAL (
                        SELECT l.kind, l.version, l.priority, l.due_at, l.id FROM handfast_engine.live AS l
                        WHERE l.lane = v_group.lane AND l.group_name = v_group.name
                          AND l.kind = k.kind AND l.version = k.version AND l.state = 'ready'
                        ORDER BY l.priority, l.due_at, l.id LIMIT least(v_room, p_limit)
                    ) AS c
                ) AS c
                JOIN handfast_engine.live AS l ON l.id = c.id
                WHERE l.state = 'ready' AND l.kind = c.kind AND l.version = c.version
                ORDER BY c.priority, c.due_at, c.id
                LIMIT least(v_room, p_limit) FOR UPDATE OF l SKIP LOCKED
            );
            v_ids := v_ids || v_more;
            IF v_group.shares IS NOT NULL THEN
                v_shared := v_shared || jsonb_build_object(
                    v_group.shares, (v_shared ->> v_group.shares)::integer - cardinality(v_more)
                );
            END IF;
        END IF;
    END LOOP;
    RETURN v_ids;
END
$$;
