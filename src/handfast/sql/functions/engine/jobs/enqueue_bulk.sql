-- Many jobs of one kind, in the caller's transaction. An identity that exists is returned as it is;
-- nothing is made twice, however many callers race. Identities are inserted in sorted order, so
-- that overlapping bulks wait for each other instead of deadlocking. One row answers for all of
-- them, in the order of p_keys; handfast_engine.enqueue_many answers with a row for each.
--
-- p_options holds for all of them: lane, priority, deadline, group, anchor and offset, version,
-- waits_for (used by handfast_engine.enqueue only), wake (with "later", who calls this tells idle
-- workers after the commit; nobody is told here).
CREATE OR REPLACE FUNCTION handfast_engine.enqueue_bulk(
    p_kind     text,
    p_keys     text[],
    p_payloads jsonb[],
    p_due_at   timestamptz[] DEFAULT NULL,
    p_options  jsonb DEFAULT '{}'
) RETURNS TABLE (ids bigint[], created boolean[], states handfast_engine.job_state[])
LANGUAGE plpgsql
SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
    v_now      timestamptz := handfast_db.now();
    v_kind     handfast_engine.kinds;
    v_lane     text;
    v_priority smallint;
    v_group    text;
    v_waits    integer := coalesce((p_options ->> 'waits_for')::integer, 0);
    v_anchor   handfast_engine.anchors;
    v_deadline timestamptz := (p_options ->> 'deadline')::timestamptz;
    v_offset   interval := (p_options ->> 'offset')::interval;
    v_version  smallint;
    v_ids      bigint[];
    v_keys     text[];
    v_states   handfast_engine.job_state[];
    v_any_ready boolean;
    v_all_new  boolean := true;
    v_rule     text;
BEGIN
    IF cardinality(p_keys) <> cardinality(p_payloads)
       OR (p_due_at IS NOT NULL AND cardinality(p_due_at) <> cardinality(p_keys)) THEN
        RAISE EXCEPTION 'keys, payloads and due times must be equally many'
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    SELECT * INTO v_kind FROM handfast_engine.kinds AS k WHERE k.kind = p_kind;
    v_lane := coalesce(p_options ->> 'lane', v_kind.lane, 'default');
    v_priority := coalesce((p_options ->> 'priority')::smallint, v_kind.priority, 10);
    v_group := coalesce(p_options ->> 'group', v_kind.group_name);
    v_version := coalesce((p_options ->> 'version')::smallint, v_kind.version, 1);
    IF v_group IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM handfast_engine.groups AS g WHERE g.name = v_group) THEN
        -- Nobody has declared it yet: one at a time until somebody does, rather than never.
        INSERT INTO handfast_engine.groups (name, max_running) VALUES (v_group, 1) ON CONFLICT DO NOTHING;
    END IF;
    IF p_options ? 'anchor' THEN
        -- Shared, so that the anchor cannot move between our reading it and our commit.
        SELECT * INTO v_anchor FROM handfast_engine.anchors AS a
        WHERE a.name = p_options ->> 'anchor' FOR SHARE;
        IF NOT FOUND THEN
            RAISE EXCEPTION 'there is no anchor %', p_options ->> 'anchor'
                USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'job_anchor';
        END IF;
    END IF;

    -- Nearly always all of them are new, and then nothing need be compared or joined.
    BEGIN
        WITH input AS MATERIALIZED (
            SELECT nextval('handfast_engine.jobs_id_seq') AS id, i.key, i.payload, i.due, i.ord,
                   handfast_engine.first_state(v_waits, i.due, v_now) AS state
            FROM (
                SELECT u.key, u.payload, u.ord,
                       CASE WHEN v_anchor.name IS NULL THEN coalesce(u.due, v_now)
                            ELSE v_anchor.at + v_offset END AS due
                FROM unnest(p_keys, p_payloads, p_due_at)
                     WITH ORDINALITY AS u(key, payload, due, ord)
                ORDER BY u.key COLLATE "C"
            ) AS i
        ), identified AS (
            INSERT INTO handfast_engine.jobs (id, kind, key, enqueued_at)
            SELECT i.id, p_kind, i.key, v_now FROM input AS i
        ), put AS (
            INSERT INTO handfast_engine.live (
                id, token, due_at, first_due_at, deadline_at, state, waits_for, priority,
                base_priority, version, lane, kind, key, payload, group_name, anchor, anchor_offset
            )
            SELECT i.id, 0, i.due, i.due, v_deadline, i.state, v_waits, v_priority,
                   v_priority, v_version, v_lane, p_kind, i.key, i.payload, v_group, v_anchor.name,
                   CASE WHEN v_anchor.name IS NOT NULL THEN v_offset END
            FROM input AS i
        )
        SELECT array_agg(i.id ORDER BY i.ord), array_agg(i.state ORDER BY i.ord),
               bool_or(i.state = 'ready')
        INTO v_ids, v_states, v_any_ready
        FROM input AS i;
    EXCEPTION
        WHEN unique_violation THEN
            v_all_new := false;
        WHEN check_violation THEN
            GET STACKED DIAGNOSTICS v_rule = CONSTRAINT_NAME;
            IF v_rule = 'instant_in_range' THEN
                PERFORM handfast_engine.refuse_instants(p_kind, p_keys, CASE WHEN v_anchor.name IS NULL
                    THEN p_due_at ELSE array_fill(v_anchor.at + v_offset, ARRAY[1]) END);
            ELSIF v_rule = 'live_payload_size' THEN
                PERFORM handfast_engine.refuse_payloads(p_kind, p_keys, p_payloads);
            END IF;
            RAISE;
    END;
    IF NOT v_all_new THEN
        WITH input AS MATERIALIZED (  -- each key once, sorted once
            SELECT DISTINCT ON (i.key COLLATE "C") i.key, i.payload,
                   CASE WHEN v_anchor.name IS NULL THEN coalesce(i.due, v_now)
                        ELSE v_anchor.at + v_offset END AS due
            FROM unnest(p_keys, p_payloads, p_due_at) WITH ORDINALITY AS i(key, payload, due, ord)
            ORDER BY i.key COLLATE "C", i.ord
        ), fresh AS (
            INSERT INTO handfast_engine.jobs (kind, key, enqueued_at)
            SELECT p_kind, i.key, v_now FROM input AS i
            ON CONFLICT (kind, key) DO NOTHING
            RETURNING id, key
        ), put AS (
            INSERT INTO handfast_engine.live (
                id, token, due_at, first_due_at, deadline_at, state, waits_for, priority,
                base_priority, version, lane, kind, key, payload, group_name, anchor, anchor_offset
            )
            SELECT f.id, 0, i.due, i.due, v_deadline,
                   handfast_engine.first_state(v_waits, i.due, v_now), v_waits, v_priority, v_priority,
                   v_version, v_lane, p_kind, f.key, i.payload, v_group, v_anchor.name,
                   CASE WHEN v_anchor.name IS NOT NULL THEN v_offset END
            FROM fresh AS f JOIN input AS i ON i.key = f.key
            RETURNING id, key, state
        )
        SELECT array_agg(p.id), array_agg(p.key), array_agg(p.state), bool_or(p.state = 'ready')
        INTO v_ids, v_keys, v_states, v_any_ready
        FROM put AS p;
    END IF;

    IF v_anchor.cancelled AND v_ids IS NOT NULL THEN
        -- It waits with the others for the anchor to be reinstated.
        PERFORM handfast_engine.end_with_anchor(l.*, 'its anchor is cancelled')
        FROM handfast_engine.live AS l WHERE l.id = ANY (v_ids) ORDER BY l.id;
        v_states := array_fill('cancelled'::handfast_engine.job_state, ARRAY[cardinality(v_ids)]);
        v_any_ready := false;
    END IF;
    IF v_any_ready AND NOT p_options ? 'wake' THEN
        PERFORM handfast_engine.wake(ARRAY[v_lane], ARRAY[p_kind]);
    END IF;

    IF v_all_new THEN
        RETURN QUERY SELECT v_ids, array_fill(true, ARRAY[coalesce(cardinality(v_ids), 0)]), v_states;
    ELSE
        -- Of a key that is named twice in one bulk, the first one made the job.
        RETURN QUERY
        SELECT array_agg(a.id), array_agg(a.created), array_agg(a.state)
        FROM (
            SELECT coalesce(f.id, j.id) AS id,
                   f.id IS NOT NULL
                       AND row_number() OVER (PARTITION BY i.key ORDER BY i.ord) = 1 AS created,
                   coalesce(f.state, j.state, l.state) AS state
            FROM unnest(p_keys) WITH ORDINALITY AS i(key, ord)
            LEFT JOIN unnest(v_keys, v_ids, v_states) AS f(key, id, state) ON f.key = i.key
            LEFT JOIN LATERAL (
                SELECT e.id, e.state FROM handfast_engine.jobs AS e
                WHERE f.id IS NULL AND e.kind = p_kind AND e.key = i.key
            ) AS j ON true
            LEFT JOIN handfast_engine.live AS l ON l.id = j.id
            ORDER BY i.ord
        ) AS a;
    END IF;
END
$$;
