-- Place anchors, or move them: every waiting job that hangs on one is re-timed in this transaction.
-- Running ones finish. A cancelled anchor is reinstated by setting it. One that is where it should be
-- is left alone. A name that is given twice is placed where it is given first. Answers how many jobs
-- moved.
CREATE OR REPLACE FUNCTION handfast_engine.set_anchors(p_names text[], p_ats timestamptz[]) RETURNS integer
LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    v_now     timestamptz := handfast_db.now();
    v_names   text[];
    v_ats     timestamptz[];
    v_was     timestamptz[];
    v_back    text[];
    v_revived bigint[] := '{}';
    v_count   integer;
    v_lanes   text[];
    v_job     record;
BEGIN
    IF cardinality(p_names) <> cardinality(p_ats) THEN
        RAISE EXCEPTION 'names and times must be equally many'
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    PERFORM handfast_engine.refuse_instants('the anchor', p_names, p_ats);
    -- First those that are new, then a look at the others under their locks: who places the same
    -- anchor at the same time is waited for here, and is moved like any other below.
    INSERT INTO handfast_engine.anchors AS a (name, at, moved_at)
    SELECT DISTINCT ON (n.name) n.name, n.at, v_now
    FROM unnest(p_names, p_ats) WITH ORDINALITY AS n(name, at, ord)
    ORDER BY n.name, n.ord
    ON CONFLICT (name) DO NOTHING;

    WITH wanted AS MATERIALIZED (
        SELECT DISTINCT ON (n.name) n.name, n.at
        FROM unnest(p_names, p_ats) WITH ORDINALITY AS n(name, at, ord)
        ORDER BY n.name, n.ord
    ), moving AS (
        SELECT a.name, a.at AS was, a.cancelled, w.at
        FROM handfast_engine.anchors AS a JOIN wanted AS w ON w.name = a.name
        WHERE a.at <> w.at OR a.cancelled
        ORDER BY a.name FOR UPDATE OF a
    )
    SELECT array_agg(m.name), array_agg(m.at), array_agg(m.was),
           array_agg(m.name) FILTER (WHERE m.cancelled)
    INTO v_names, v_ats, v_was, v_back
    FROM moving AS m;
    IF v_names IS NULL THEN
        RETURN 0;
    END IF;
    UPDATE handfast_engine.anchors AS a SET at = n.at, cancelled = false, moved_at = v_now
    FROM unnest(v_names, v_ats) AS n(name, at) WHERE a.name = n.name;

    -- Reinstated: what was cancelled with it comes back, as it was. Who was revived by hand meanwhile
    -- and has succeeded is done. The history may be gone by then, and is asked only for what was
    -- cancelled before payloads were kept here; one that nobody knows keeps no other from coming back.
    FOR v_job IN
        SELECT c.job_id, j.kind, j.key, coalesce(c.payload, (
            SELECT a.payload FROM handfast_engine.attempts AS a
            WHERE a.job_id = j.id AND a.finished_at = j.finished_at AND a.token = j.token
              AND a.payload IS NOT NULL LIMIT 1
        )) AS payload, c.options || jsonb_strip_nulls(jsonb_build_object(
            'anchor', c.anchor, 'offset', c.anchor_offset,
            'deadline', handfast_db.readable((c.options ->> 'deadline')::timestamptz + (n.at - n.was))
        )) AS options
        FROM handfast_engine.anchored_ends AS c
        JOIN unnest(v_names, v_ats, v_was) AS n(name, at, was) ON n.name = c.anchor
        JOIN handfast_engine.jobs AS j ON j.id = c.job_id AND j.state IN ('cancelled', 'skipped')
        WHERE c.anchor = ANY (v_back) ORDER BY c.job_id
    LOOP
        IF v_job.payload IS NULL THEN
            RAISE WARNING '% % stays cancelled: its payload has been pruned', v_job.kind, v_job.key
                USING HINT = format('Revive job %s with its payload.', v_job.job_id);
        ELSIF handfast_engine.revive(v_job.job_id, NULL, v_job.payload, v_job.options) THEN
            v_revived := v_revived || v_job.job_id;
        END IF;
    END LOOP;
    DELETE FROM handfast_engine.anchored_ends AS c WHERE c.anchor = ANY (v_back);

    PERFORM 1 FROM handfast_engine.live AS l WHERE l.anchor = ANY (v_names) ORDER BY l.id FOR UPDATE;
    PERFORM handfast_engine.refuse_instants(min(b.kind), array_agg(b.key::text), array_agg(b.due_at))
    FROM (
        SELECT l.kind, l.key, n.at + l.anchor_offset AS due_at
        FROM unnest(v_names, v_ats) AS n(name, at) JOIN handfast_engine.live AS l ON l.anchor = n.name
        WHERE NOT handfast_db.is_instant(n.at + l.anchor_offset) ORDER BY l.id LIMIT 1
    ) AS b;
    WITH moved AS (
        UPDATE handfast_engine.live AS l
        SET due_at = n.at + l.anchor_offset, first_due_at = n.at + l.anchor_offset,
            state = CASE WHEN l.state = 'blocked' THEN l.state
                         WHEN n.at + l.anchor_offset > v_now THEN 'scheduled'::handfast_engine.job_state
                         ELSE 'ready'::handfast_engine.job_state END,
            deadline_at = handfast_db.readable(l.deadline_at + (n.at - n.was)),
            -- Failures before the move were another time's: its tries begin anew.
            failures = CASE WHEN n.at = n.was THEN l.failures ELSE 0 END,
            first_start_at = CASE WHEN n.at = n.was THEN l.first_start_at END,
            priority = coalesce(handfast_engine.escalated(
                l.base_priority, l.deadline_at + (n.at - n.was) - v_now), l.base_priority)
        FROM unnest(v_names, v_ats, v_was) AS n(name, at, was)
        WHERE l.anchor = n.name AND l.state IN ('scheduled', 'ready', 'blocked')
          AND NOT l.id = ANY (v_revived)
        RETURNING l.lane, l.state
    )
    SELECT cardinality(v_revived) + count(*), array_agg(DISTINCT m.lane) FILTER (WHERE m.state = 'ready')
    INTO v_count, v_lanes FROM moved AS m;
    PERFORM handfast_engine.wake(v_lanes);
    RETURN v_count;
END
$$;
