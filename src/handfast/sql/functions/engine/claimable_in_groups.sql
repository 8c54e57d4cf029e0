-- Ready jobs whose group has room. The group's row is locked, so that two claims cannot both see
-- the same room; a group that somebody else is claiming from is left to them. Running jobs are
-- counted, not kept in a counter: a rescued job frees its place by no longer running. Up to p_limit
-- of each group: the caller chooses among all of them by priority.
--
-- Groups may share places (engine.groups.shares). They are asked in random order, so that none of
-- them always finds the last place taken.
CREATE OR REPLACE FUNCTION engine.claimable_in_groups(p_lanes text[], p_limit integer)
RETURNS bigint[]
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    v_group  record;
    v_room   integer;
    v_shared jsonb := '{}';  -- the room that is left to those who share it, by name
    v_more   bigint[];
    v_ids    bigint[] := '{}';
BEGIN
    FOR v_group IN
        WITH RECURSIVE present AS (  -- a loose scan: one step per group, however many jobs it has
            SELECT n.lane, (
                SELECT l.group_name FROM engine.live AS l
                WHERE l.lane = n.lane AND l.state = 'ready' AND l.group_name IS NOT NULL
                ORDER BY l.group_name LIMIT 1
            ) AS name
            FROM unnest(p_lanes) AS n(lane)
            UNION ALL
            SELECT p.lane, (
                SELECT l.group_name FROM engine.live AS l
                WHERE l.lane = p.lane AND l.state = 'ready' AND l.group_name > p.name
                ORDER BY l.group_name LIMIT 1
            )
            FROM present AS p WHERE p.name IS NOT NULL
        )
        SELECT p.lane, g.name, g.max_running, g.shares
        FROM present AS p JOIN engine.groups AS g ON g.name = p.name
        ORDER BY CASE WHEN g.shares IS NOT NULL THEN random() END
        FOR UPDATE OF g SKIP LOCKED
    LOOP
        SELECT v_group.max_running - count(*) INTO v_room
        FROM engine.live AS l
        WHERE l.state = 'running' AND l.group_name = v_group.name;
        v_room := v_room - (
            SELECT count(*) FROM engine.live AS l
            WHERE l.id = ANY (v_ids) AND l.group_name = v_group.name
        );
        IF v_group.shares IS NOT NULL THEN
            IF NOT v_shared ? v_group.shares THEN
                v_shared := v_shared
                    || jsonb_build_object(v_group.shares, engine.shared_room(v_group.shares));
            END IF;
            v_room := least(v_room, (v_shared ->> v_group.shares)::integer);
        END IF;
        IF v_room > 0 THEN
            v_more := ARRAY(
                SELECT l.id FROM engine.live AS l
                WHERE l.lane = v_group.lane AND l.group_name = v_group.name AND l.state = 'ready'
                ORDER BY l.priority, l.due_at, l.id
                LIMIT least(v_room, p_limit) FOR UPDATE SKIP LOCKED
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
