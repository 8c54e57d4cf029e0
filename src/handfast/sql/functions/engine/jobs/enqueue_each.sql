-- Many jobs of one kind, each with options of its own (p_options[i], as for handfast_engine.enqueue: anchor and
-- offset, requires, deadline, priority, lane, group, version), in the caller's transaction and by
-- statements over the whole set. ordinal is a job's place in p_keys. An identity that exists is
-- returned as it is. A prerequisite must exist: enqueue those first.
--
-- Locks are taken as handfast_engine.enqueue takes them, each kind of them in one order, so that overlapping
-- calls wait for each other: prerequisites by id, anchors by name, identities by key.
CREATE OR REPLACE FUNCTION handfast_engine.enqueue_each(
    p_kind     text,
    p_keys     text[],
    p_payloads jsonb[],
    p_due_at   timestamptz[],
    p_options  jsonb[]
) RETURNS TABLE (ordinal bigint, id bigint, created boolean, state handfast_engine.job_state)
LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
    v_now      timestamptz := handfast_db.now();
    v_kind     handfast_engine.kinds;
    v_required bigint[];
    v_held     integer;
    v_anchors  text[];
    v_missing  text;
    v_ids      bigint[];
    v_keys     text[];
    v_states   handfast_engine.job_state[];
    v_lanes    text[];
    v_cancelled bigint[];
    v_stopped  bigint[];
    v_reasons  text[];
    v_as_made  boolean;
BEGIN
    IF cardinality(p_keys) <> cardinality(p_payloads) OR cardinality(p_keys) <> cardinality(p_options)
       OR (p_due_at IS NOT NULL AND cardinality(p_due_at) <> cardinality(p_keys)) THEN
        RAISE EXCEPTION 'keys, payloads, due times and options must be equally many'
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    PERFORM handfast_engine.refuse_instants(p_kind, p_keys, p_due_at);
    SELECT * INTO v_kind FROM handfast_engine.kinds AS k WHERE k.kind = p_kind;

    -- Whatever is looked up in a table is looked up one by one, by its key, in subqueries that the
    -- planner cannot turn round: it may take for empty what this transaction has just filled.
    --
    -- Locking each prerequisite's identity decides the race with its completion: either we see that
    -- it has succeeded, or it will see that somebody depends on it.
    SELECT array_agg(j.id), min(format('%s %s', w.kind, w.key)) FILTER (WHERE j.id IS NULL)
    INTO v_required, v_missing
    FROM (
        SELECT DISTINCT r ->> 0 AS kind, r ->> 1 AS key
        FROM unnest(p_options) AS o CROSS JOIN jsonb_array_elements(o -> 'requires') AS r
    ) AS w
    LEFT JOIN LATERAL (
        SELECT e.id FROM handfast_engine.jobs AS e WHERE e.kind = w.kind AND e.key = w.key LIMIT 1
    ) AS j ON true;
    IF v_missing IS NULL AND v_required IS NOT NULL THEN
        PERFORM 1 FROM handfast_engine.jobs AS j WHERE j.id = ANY (v_required) ORDER BY j.id FOR UPDATE;
        GET DIAGNOSTICS v_held = ROW_COUNT;
        IF v_held < cardinality(v_required) THEN
            v_missing := 'that was forgotten just now';
        END IF;
    END IF;
    IF v_missing IS NOT NULL THEN
        RAISE EXCEPTION 'the prerequisite % of a job of % does not exist: enqueue it first',
            v_missing, p_kind
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'job_prerequisite_exists';
    END IF;
    UPDATE handfast_engine.jobs AS j SET depended_on = true
    WHERE j.id = ANY (v_required) AND NOT j.depended_on;

    -- Shared, so that no anchor can move between our reading it and our commit.
    SELECT array_agg(w.name), min(w.name) FILTER (WHERE a.name IS NULL) INTO v_anchors, v_missing
    FROM (SELECT DISTINCT o ->> 'anchor' AS name FROM unnest(p_options) AS o WHERE o ? 'anchor') AS w
    LEFT JOIN LATERAL (
        SELECT e.name FROM handfast_engine.anchors AS e WHERE e.name = w.name LIMIT 1
    ) AS a ON true;
    IF v_missing IS NULL THEN  -- nobody ever deletes an anchor
        PERFORM 1 FROM handfast_engine.anchors AS a WHERE a.name = ANY (v_anchors) ORDER BY a.name FOR SHARE;
    ELSE
        RAISE EXCEPTION 'there is no anchor %', v_missing
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'job_anchor';
    END IF;

    -- A group that nobody has declared yet: one at a time until somebody does, rather than never.
    INSERT INTO handfast_engine.groups (name, max_running)
    SELECT DISTINCT g.name, 1
    FROM unnest(p_options) AS o
    CROSS JOIN LATERAL (SELECT coalesce(o ->> 'group', v_kind.group_name) AS name) AS g
    WHERE g.name IS NOT NULL
    ORDER BY g.name
    ON CONFLICT DO NOTHING;

    WITH input AS MATERIALIZED (  -- each key once, in the order in which identities are inserted
        SELECT DISTINCT ON (u.key COLLATE "C")
               u.key, u.payload, u.ord, a.name AS anchor, a.cancelled,
               coalesce(a.at + coalesce(o."offset", interval '0'), u.due, v_now) AS due,
               CASE WHEN a.name IS NOT NULL THEN coalesce(o."offset", interval '0') END AS anchor_offset,
               o.deadline, coalesce(o.priority, v_kind.priority, 10)::smallint AS priority,
               coalesce(o.version, v_kind.version, 1) AS version,
               coalesce(o.lane, v_kind.lane, 'default') AS lane,
               coalesce(o."group", v_kind.group_name) AS group_name,
               coalesce(o.requires, '[]') AS requires
        FROM unnest(p_keys, p_payloads, p_due_at, p_options)
             WITH ORDINALITY AS u(key, payload, due, options, ord)
        CROSS JOIN LATERAL jsonb_to_record(u.options) AS o(
            anchor text, "offset" interval, deadline timestamptz, priority smallint,
            version smallint, lane text, "group" text, requires jsonb
        )
        LEFT JOIN LATERAL (
            SELECT e.name, e.at, e.cancelled FROM handfast_engine.anchors AS e WHERE e.name = o.anchor LIMIT 1
        ) AS a ON true
        ORDER BY u.key COLLATE "C", u.ord
    ), needs AS MATERIALIZED (
        SELECT DISTINCT i.key, j.id AS requires_id, j.state IS NOT DISTINCT FROM 'succeeded' AS met,
               CASE WHEN j.state IN ('dead', 'cancelled', 'skipped')
                    THEN format('%s %s is %s', j.kind, j.key, j.state) END AS stopped
        FROM input AS i
        CROSS JOIN LATERAL jsonb_array_elements(i.requires) AS r
        CROSS JOIN LATERAL (
            SELECT e.id, e.state, e.kind, e.key FROM handfast_engine.jobs AS e
            WHERE e.kind = r ->> 0 AND e.key = r ->> 1 LIMIT 1
        ) AS j
    ), waits AS MATERIALIZED (
        SELECT n.key, count(*) FILTER (WHERE NOT n.met)::integer AS n, min(n.stopped) AS stopped
        FROM needs AS n GROUP BY n.key
    ), fresh AS (
        INSERT INTO handfast_engine.jobs (kind, key, enqueued_at)
        SELECT p_kind, i.key, v_now FROM input AS i ORDER BY i.key COLLATE "C"
        ON CONFLICT (kind, key) DO NOTHING
        RETURNING id, key
    ), put AS (
        INSERT INTO handfast_engine.live (
            id, token, due_at, first_due_at, deadline_at, state, waits_for, priority, base_priority,
            version, lane, kind, key, payload, group_name, anchor, anchor_offset
        )
        SELECT f.id, 0, i.due, i.due, i.deadline,
               handfast_engine.first_state(coalesce(w.n, 0), i.due, v_now), coalesce(w.n, 0),
               -- As near as its deadline is: housekeeping would say the same, seconds later.
               coalesce(handfast_engine.escalated(i.priority, i.deadline - v_now), i.priority), i.priority,
               i.version, i.lane, p_kind, f.key, i.payload, i.group_name, i.anchor, i.anchor_offset
        FROM fresh AS f JOIN input AS i ON i.key = f.key LEFT JOIN waits AS w ON w.key = f.key
        RETURNING id, key, state, lane
    ), linked AS (
        INSERT INTO handfast_engine.prerequisites (job_id, requires_id, met)
        SELECT f.id, n.requires_id, n.met FROM fresh AS f JOIN needs AS n ON n.key = f.key
    )
    SELECT array_agg(p.id), array_agg(p.key), array_agg(p.state),
           array_agg(DISTINCT p.lane) FILTER (WHERE p.state = 'ready'),
           array_agg(p.id ORDER BY p.id) FILTER (WHERE i.cancelled),
           array_agg(p.id ORDER BY p.id) FILTER (WHERE w.stopped IS NOT NULL),
           array_agg(w.stopped ORDER BY p.id) FILTER (WHERE w.stopped IS NOT NULL)
    INTO v_ids, v_keys, v_states, v_lanes, v_cancelled, v_stopped, v_reasons
    FROM put AS p JOIN input AS i ON i.key = p.key LEFT JOIN waits AS w ON w.key = p.key;

    IF v_stopped IS NOT NULL THEN
        PERFORM handfast_engine.stop_dependant(s.id, s.reason)
        FROM unnest(v_stopped, v_reasons) AS s(id, reason) ORDER BY s.id;
    END IF;
    IF v_cancelled IS NOT NULL THEN
        -- They wait with the others for the anchor to be reinstated.
        PERFORM handfast_engine.end_with_anchor(l.*, 'its anchor is cancelled')
        FROM handfast_engine.live AS l WHERE l.id = ANY (v_cancelled) ORDER BY l.id;
    END IF;
    PERFORM handfast_engine.wake(v_lanes, ARRAY[p_kind]);

    -- Of a key that is named twice, the first one made the job.
    v_as_made := v_stopped IS NULL AND v_cancelled IS NULL;
    RETURN QUERY
    SELECT i.ord, coalesce(f.id, j.id),
           f.id IS NOT NULL AND row_number() OVER (PARTITION BY i.key ORDER BY i.ord) = 1,
           CASE WHEN v_as_made AND f.id IS NOT NULL THEN f.state
                ELSE coalesce(j.state, l.state) END
    FROM unnest(p_keys) WITH ORDINALITY AS i(key, ord)
    LEFT JOIN unnest(v_keys, v_ids, v_states) AS f(key, id, state) ON f.key = i.key
    LEFT JOIN LATERAL (
        SELECT e.id, e.state FROM handfast_engine.jobs AS e
        WHERE NOT (v_as_made AND f.id IS NOT NULL) AND e.kind = p_kind AND e.key = i.key LIMIT 1
    ) AS j ON true
    LEFT JOIN LATERAL (SELECT e.state FROM handfast_engine.live AS e WHERE e.id = j.id LIMIT 1) AS l ON true
    ORDER BY i.ord;
END
$$;
