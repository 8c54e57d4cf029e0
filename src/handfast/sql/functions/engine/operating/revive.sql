-- An ended job (cancelled, skipped, succeeded) runs again under its own identity, because somebody
-- asks for it in so many words. Its payload is given anew when the history no longer has it. Answers
-- whether it was ended.
CREATE OR REPLACE FUNCTION handfast_engine.revive(
    p_id bigint, p_due_at timestamptz DEFAULT NULL, p_payload jsonb DEFAULT NULL,
    p_options jsonb DEFAULT '{}'
) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    v_now      timestamptz := handfast_db.now();
    v_job      handfast_engine.jobs;
    v_kind     handfast_engine.kinds;
    v_last     handfast_engine.attempts;
    v_due      timestamptz;
    v_anchor   handfast_engine.anchors;
    v_priority smallint;
    v_lane     text;
    v_group    text;
BEGIN
    -- With its prerequisites, in the order in which enqueue locks them: one that succeeds meanwhile
    -- must either be counted as met here, or see that we wait.
    -- As an array: an OR with a subquery would walk through all jobs.
    PERFORM 1 FROM handfast_engine.jobs AS j
    WHERE j.id = ANY (p_id || ARRAY(
        SELECT p.requires_id FROM handfast_engine.prerequisites AS p WHERE p.job_id = p_id
    )) ORDER BY j.id FOR UPDATE;
    SELECT * INTO v_job FROM handfast_engine.jobs AS j
    WHERE j.id = p_id AND j.state IN ('cancelled', 'skipped', 'succeeded');
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    SELECT * INTO v_kind FROM handfast_engine.kinds AS k WHERE k.kind = v_job.kind;
    SELECT * INTO v_last FROM handfast_engine.attempts AS a
    WHERE a.job_id = p_id AND a.finished_at = v_job.finished_at AND a.token = v_job.token
      AND a.payload IS NOT NULL LIMIT 1;
    IF p_payload IS NULL AND v_last.payload IS NULL THEN
        RAISE EXCEPTION 'the payload of % % has been pruned: pass it again', v_job.kind, v_job.key
            USING ERRCODE = 'null_value_not_allowed';
    END IF;
    IF p_options ? 'anchor' THEN
        SELECT * INTO v_anchor FROM handfast_engine.anchors AS a
        WHERE a.name = p_options ->> 'anchor' FOR SHARE;
    END IF;
    v_due := coalesce(v_anchor.at + (p_options ->> 'offset')::interval, p_due_at, v_now);
    PERFORM handfast_engine.refuse_instants(v_job.kind, ARRAY[v_job.key::text], ARRAY[v_due]);
    v_lane := coalesce(p_options ->> 'lane', v_last.lane, v_kind.lane, 'default');
    v_priority := coalesce((p_options ->> 'priority')::smallint, v_kind.priority, 10);
    v_group := coalesce(p_options ->> 'group', v_kind.group_name);
    IF v_group IS NOT NULL THEN  -- which may have been forgotten meanwhile, or never declared
        PERFORM handfast_engine.make_group(v_group, 1);
    END IF;
    -- What it once waited for, and what runs again itself, it waits for again.
    UPDATE handfast_engine.prerequisites AS p SET met = false
    WHERE p.job_id = p_id AND p.met AND (
        SELECT j.state IS NULL FROM handfast_engine.jobs AS j WHERE j.id = p.requires_id
    );
    -- One statement, because the database looks at the end of it whether the move was legal.
    WITH back AS (
        UPDATE handfast_engine.jobs AS j SET state = NULL, came_from = NULL, finished_at = NULL
        WHERE j.id = p_id
    )
    INSERT INTO handfast_engine.live (
        id, token, due_at, first_due_at, deadline_at, state, waits_for, priority, base_priority,
        version, lane, kind, key, payload, group_name, anchor, anchor_offset, reason
    )
    SELECT p_id, v_job.token, v_due, v_due, (p_options ->> 'deadline')::timestamptz,
           (CASE WHEN w.n > 0 THEN 'blocked' ELSE 'scheduled' END)::handfast_engine.job_state, w.n,
           coalesce(handfast_engine.escalated(v_priority, (p_options ->> 'deadline')::timestamptz - v_now),
                    v_priority), v_priority,
           -- An old payload keeps its version; a new one is of the version that is declared now.
           coalesce((p_options ->> 'version')::smallint,
                    CASE WHEN p_payload IS NULL THEN v_last.version END, v_kind.version, 1),
           v_lane, v_job.kind, v_job.key, coalesce(p_payload, v_last.payload),
           v_group, v_anchor.name,
           CASE WHEN v_anchor.name IS NOT NULL THEN (p_options ->> 'offset')::interval END,
           w.stopped
    FROM (  -- not skipped because of one that has ended: that may be the next to be revived
        SELECT count(*)::integer AS n,
               min(format('prerequisite %s %s is %s', j.kind, j.key, j.state))
                   FILTER (WHERE j.state IN ('dead', 'cancelled', 'skipped')) AS stopped
        FROM handfast_engine.prerequisites AS p
        LEFT JOIN handfast_engine.jobs AS j ON j.id = p.requires_id
        WHERE p.job_id = p_id AND NOT p.met
    ) AS w;
    IF v_job.depended_on THEN
        PERFORM handfast_engine.clear_blame(ARRAY[p_id]);
    END IF;
    IF v_anchor.cancelled THEN  -- it waits with the others for the anchor to be reinstated
        PERFORM handfast_engine.end_with_anchor(l.*, 'its anchor is cancelled')
        FROM handfast_engine.live AS l WHERE l.id = p_id;
        RETURN true;
    END IF;
    UPDATE handfast_engine.live AS l SET state = 'ready'
    WHERE l.id = p_id AND l.state = 'scheduled' AND l.due_at <= v_now;
    IF FOUND THEN
        PERFORM handfast_engine.wake(ARRAY[v_lane]);
    END IF;
    RETURN true;
END
$$;
