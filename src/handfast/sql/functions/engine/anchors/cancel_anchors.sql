-- These moments will not come: every waiting job that hangs on one is cancelled, by statements over the
-- whole set, and is remembered for the day on which its anchor is reinstated. Answers how many jobs were
-- cancelled with each anchor that there is.
--
-- Anchors are locked by name, then jobs by id, as by handfast_engine.set_anchors: also those that
-- run, since one that fails meanwhile has to see that its anchor is cancelled, or to be seen waiting.
-- Who waits for one of the jobs and hangs elsewhere is told.
CREATE OR REPLACE FUNCTION handfast_engine.cancel_anchors(p_names text[], p_reasons text[])
RETURNS TABLE (name text, jobs integer)
LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan AS $$
#variable_conflict use_column
DECLARE
    v_now   timestamptz := handfast_db.now();
    v_names text[];
    v_ids   bigint[];
    v_jobs  integer[];
BEGIN
    v_names := ARRAY(
        SELECT a.name FROM handfast_engine.anchors AS a WHERE a.name = ANY (p_names)
        ORDER BY a.name FOR UPDATE
    );
    UPDATE handfast_engine.anchors AS a SET cancelled = true, moved_at = v_now
    WHERE a.name = ANY (v_names) AND NOT a.cancelled;
    PERFORM 1 FROM handfast_engine.live AS l WHERE l.anchor = ANY (v_names) ORDER BY l.id FOR UPDATE;
    v_ids := ARRAY(
        SELECT l.id FROM handfast_engine.live AS l
        WHERE l.anchor = ANY (v_names) AND l.state IN ('scheduled', 'ready', 'blocked') ORDER BY l.id
    );
    WITH gone AS (
        DELETE FROM handfast_engine.live AS l WHERE l.id = ANY (v_ids) RETURNING l.*
    ), remembered AS (
        INSERT INTO handfast_engine.anchored_ends AS e (anchor, job_id, anchor_offset, options, payload)
        SELECT g.anchor, g.id, g.anchor_offset, jsonb_strip_nulls(jsonb_build_object(
            'lane', g.lane, 'priority', g.base_priority, 'group', g.group_name,
            'version', g.version, 'deadline', g.deadline_at
        )), g.payload FROM gone AS g
        ON CONFLICT (anchor, job_id) DO UPDATE
        SET anchor_offset = excluded.anchor_offset, options = excluded.options, payload = excluded.payload
    ), ended AS (
        UPDATE handfast_engine.jobs AS j
        SET state = 'cancelled', came_from = g.state, token = g.token, finished_at = v_now
        FROM gone AS g WHERE j.id = g.id
    ), noted AS (
        INSERT INTO handfast_engine.attempts (
            job_id, token, finished_at, started_at, due_at, worker, attempt, outcome, priority, kind,
            version, lane, error, payload
        )
        SELECT g.id, g.token, v_now, g.started_at, g.due_at, g.worker, g.attempt, 'cancelled',
               g.priority, g.kind, g.version, g.lane, r.reason, g.payload
        FROM gone AS g JOIN unnest(p_names, p_reasons) AS r(name, reason) ON r.name = g.anchor
    ), unreported AS (
        DELETE FROM handfast_engine.progress AS p WHERE p.job_id = ANY (v_ids)
    )
    SELECT coalesce(array_agg(n.name), '{}'), array_agg(n.jobs) INTO v_names, v_jobs
    FROM (
        SELECT a.name, count(g.id)::integer AS jobs FROM unnest(v_names) AS a(name)
        LEFT JOIN gone AS g ON g.anchor = a.name GROUP BY a.name
    ) AS n;

    PERFORM handfast_engine.stop_dependant(p.job_id, format('%s %s is cancelled', j.kind, j.key))
    FROM handfast_engine.prerequisites AS p
    JOIN handfast_engine.jobs AS j ON j.id = p.requires_id
    JOIN handfast_engine.live AS l ON l.id = p.job_id
    WHERE p.requires_id = ANY (v_ids) AND NOT p.met
    ORDER BY p.job_id;
    RETURN QUERY SELECT n.name, n.jobs FROM unnest(v_names, v_jobs) AS n(name, jobs);
END
$$;
