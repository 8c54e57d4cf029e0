-- Ready jobs whose group has room. The group's row is locked, so that two claims cannot both see
-- the same room; a group that somebody else is claiming from is left to them. Running jobs are
-- counted, not kept in a counter: a rescued job frees its place by no longer running. Up to p_limit
-- of each group: the caller chooses among all of them by priority.
CREATE OR REPLACE FUNCTION engine.claimable_in_groups(p_lanes text[], p_limit integer)
RETURNS bigint[]
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    v_group record;
    v_room  integer;
    v_ids   bigint[] := '{}';
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
        SELECT p.lane, g.name, g.max_running
        FROM present AS p JOIN engine.groups AS g ON g.name = p.name
        FOR UPDATE OF g SKIP LOCKED
    LOOP
        SELECT v_group.max_running - count(*) INTO v_room
        FROM engine.live AS l
        WHERE l.state = 'running' AND l.group_name = v_group.name;
        v_room := v_room - (
            SELECT count(*) FROM engine.live AS l
            WHERE l.id = ANY (v_ids) AND l.group_name = v_group.name
        );
        IF v_room > 0 THEN
            v_ids := v_ids || ARRAY(
                SELECT l.id FROM engine.live AS l
                WHERE l.lane = v_group.lane AND l.group_name = v_group.name AND l.state = 'ready'
                ORDER BY l.priority, l.due_at, l.id
                LIMIT least(v_room, p_limit) FOR UPDATE SKIP LOCKED
            );
        END IF;
    END LOOP;
    RETURN v_ids;
END
$$;
