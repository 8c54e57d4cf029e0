-- Dead letters go back to ready: the same job, the same identity, with a fresh count of failures.
-- Answers those that were dead. p_repaired marks what gap repair did by itself, once.
CREATE OR REPLACE FUNCTION handfast_engine.requeue(p_ids bigint[], p_repaired boolean DEFAULT false)
RETURNS bigint[]
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    v_now    timestamptz := handfast_db.now();
    v_ids    bigint[];
    v_lanes  text[];
    v_groups text[];
BEGIN
    WITH letters AS (
        SELECT d.job_id, d.job FROM handfast_engine.dead AS d
        WHERE d.job_id = ANY (p_ids) AND d.discarded_at IS NULL
        ORDER BY d.job_id FOR UPDATE
    ), risen AS (
        UPDATE handfast_engine.jobs AS j SET state = NULL, came_from = NULL, finished_at = NULL
        FROM letters AS t
        WHERE j.id = t.job_id AND j.state = 'dead'
        RETURNING j.id, j.token, t.job
    ), put AS (
        INSERT INTO handfast_engine.live (
            id, token, due_at, first_due_at, deadline_at, state, attempt, waits_for, priority,
            base_priority, version, lane, kind, key, payload, group_name, anchor, anchor_offset
        )
        -- The first due time also says for where its anchor was: as it is now.
        SELECT r.id, r.token, v_now, coalesce(handfast_db.readable(a.at + o.anchor_offset), v_now), o.deadline_at, 'ready', o.attempt, 0,
               o.base_priority, o.base_priority, o.version, o.lane, o.kind, o.key, o.payload,
               o.group_name, o.anchor, o.anchor_offset
        FROM risen AS r
        CROSS JOIN jsonb_populate_record(NULL::handfast_engine.live, r.job) AS o
        LEFT JOIN handfast_engine.anchors AS a ON a.name = o.anchor
        RETURNING id, lane, group_name
    )
    SELECT coalesce(array_agg(p.id), '{}'), array_agg(DISTINCT p.lane),
           array_agg(DISTINCT p.group_name) FILTER (WHERE p.group_name IS NOT NULL)
    INTO v_ids, v_lanes, v_groups
    FROM put AS p;
    -- It may have been forgotten while nothing of it was live (handfast_engine.forget_groups).
    PERFORM handfast_engine.make_group(g.name, 1) FROM unnest(v_groups) AS g(name) ORDER BY g.name;
    IF p_repaired THEN
        UPDATE handfast_engine.dead AS d SET repaired = true, discarded_at = v_now,
            discard_reason = 'requeued' WHERE d.job_id = ANY (v_ids);
    ELSE
        DELETE FROM handfast_engine.dead AS d WHERE d.job_id = ANY (v_ids);
    END IF;
    -- What was blocked because these had died is only waiting again.
    PERFORM handfast_engine.clear_blame(v_ids);
    IF v_lanes IS NOT NULL THEN
        PERFORM handfast_engine.wake(v_lanes);
    END IF;
    RETURN v_ids;
END
$$;
