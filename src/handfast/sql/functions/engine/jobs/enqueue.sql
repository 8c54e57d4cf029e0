-- One job, in the caller's transaction. p_options as in handfast_engine.enqueue_many, and also
-- requires: [[kind, key], …], the jobs that must succeed first. They must exist.
CREATE OR REPLACE FUNCTION handfast_engine.enqueue(
    p_kind    text,
    p_key     text,
    p_payload jsonb DEFAULT '{}',
    p_due_at  timestamptz DEFAULT NULL,
    p_options jsonb DEFAULT '{}'
) RETURNS TABLE (id bigint, created boolean, state handfast_engine.job_state)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    v_required bigint[];
    v_unmet    integer := 0;
    v_stopped  text;
    v_made     record;
    v_told     text;
BEGIN
    IF NOT handfast_db.is_instant(p_due_at) THEN
        RAISE EXCEPTION '% % cannot be due at %: an instant is from 0001-01-02 until before 9999-12-31',
            p_kind, p_key, p_due_at
            USING ERRCODE = 'check_violation', CONSTRAINT = 'instant_in_range';
    END IF;
    IF pg_column_size(p_payload) >= 2000 THEN
        PERFORM handfast_engine.refuse_payloads(p_kind, ARRAY[p_key], ARRAY[p_payload]);
    END IF;
    IF NOT p_options ?| ARRAY['requires', 'anchor', 'group'] THEN
        -- The everyday job: one statement, at half the cost of the general way below. Python sends
        -- it without this function (enqueue_everyday in queries/engine/jobs.sql): change both;
        -- tests/engine/jobs/test_enqueue_forms.py compares what they write.
        WITH made AS (
            INSERT INTO handfast_engine.jobs (kind, key, enqueued_at) VALUES (p_kind, p_key, handfast_db.now())
            ON CONFLICT (kind, key) DO NOTHING RETURNING id, enqueued_at
        ), put AS (
            INSERT INTO handfast_engine.live (
                id, token, due_at, first_due_at, deadline_at, state, priority, base_priority,
                version, lane, kind, key, payload, group_name
            )
            SELECT m.id, 0, n.due, n.due, (p_options ->> 'deadline')::timestamptz,
                   handfast_engine.first_state(0, n.due, m.enqueued_at), n.priority, n.priority,
                   coalesce((p_options ->> 'version')::smallint, k.version, 1::smallint),
                   coalesce(p_options ->> 'lane', k.lane, 'default'), p_kind, p_key, p_payload,
                   k.group_name
            FROM made AS m
            LEFT JOIN handfast_engine.kinds AS k ON k.kind = p_kind
            CROSS JOIN LATERAL (
                SELECT coalesce(p_due_at, m.enqueued_at) AS due,
                       coalesce((p_options ->> 'priority')::smallint, k.priority, 10::smallint)
                           AS priority
            ) AS n
            RETURNING id, state, lane
        )
        SELECT p.id, true, p.state, CASE WHEN p.state = 'ready' AND NOT p_options ? 'wake' AND EXISTS (
            -- As handfast_engine.wake asks, in the same breath. It is a hint, and may come from just before.
            SELECT 1 FROM handfast_engine.workers AS w
            WHERE w.idle AND w.ended_at IS NULL AND p.lane = ANY (w.lanes)
              AND (w.kinds IS NULL OR p_kind = ANY (w.kinds))
        ) THEN pg_notify('handfast_ready', to_json(ARRAY[p.lane, p_kind])::text)::text END
        INTO id, created, state, v_told
        FROM put AS p;
        IF FOUND THEN
            RETURN NEXT;
            RETURN;
        END IF;
    END IF;

    IF jsonb_array_length(coalesce(p_options -> 'requires', '[]')) > 0 THEN
        -- Locking each prerequisite's identity decides the race with its completion: either we see
        -- that it has succeeded, or it will see that somebody depends on it.
        WITH wanted AS (
            SELECT DISTINCT r ->> 0 AS kind, r ->> 1 AS key
            FROM jsonb_array_elements(p_options -> 'requires') AS r
        ), held AS (
            SELECT j.id FROM handfast_engine.jobs AS j JOIN wanted AS w USING (kind, key)
            ORDER BY j.id FOR UPDATE OF j
        )
        SELECT array_agg(h.id) INTO v_required FROM held AS h;
        IF coalesce(cardinality(v_required), 0)
           <> (SELECT count(DISTINCT r) FROM jsonb_array_elements(p_options -> 'requires') AS r) THEN
            RAISE EXCEPTION 'a prerequisite of % % does not exist: enqueue it first', p_kind, p_key
                USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'job_prerequisite_exists';
        END IF;
        UPDATE handfast_engine.jobs AS j SET depended_on = true
        WHERE j.id = ANY (v_required) AND NOT j.depended_on;
        SELECT count(*) FILTER (WHERE j.state IS DISTINCT FROM 'succeeded'),
               min(format('%s %s is %s', j.kind, j.key, j.state))
                   FILTER (WHERE j.state IN ('dead', 'cancelled', 'skipped'))
        INTO v_unmet, v_stopped
        FROM handfast_engine.jobs AS j WHERE j.id = ANY (v_required);
    END IF;

    SELECT m.* INTO v_made FROM handfast_engine.enqueue_many(
        p_kind, ARRAY[p_key], ARRAY[p_payload],
        CASE WHEN p_due_at IS NULL THEN NULL ELSE ARRAY[p_due_at] END,
        CASE WHEN v_unmet = 0 THEN p_options - 'requires'
             ELSE p_options - 'requires' || jsonb_build_object('waits_for', v_unmet) END
    ) AS m;

    IF v_made.created AND v_required IS NOT NULL THEN
        INSERT INTO handfast_engine.prerequisites (job_id, requires_id, met)
        SELECT v_made.id, j.id, j.state IS NOT DISTINCT FROM 'succeeded'
        FROM handfast_engine.jobs AS j WHERE j.id = ANY (v_required);
        IF v_stopped IS NOT NULL THEN
            PERFORM handfast_engine.stop_dependant(v_made.id, v_stopped);
            SELECT coalesce(j.state, l.state) INTO v_made.state
            FROM handfast_engine.jobs AS j LEFT JOIN handfast_engine.live AS l ON l.id = j.id
            WHERE j.id = v_made.id;
        END IF;
    END IF;
    RETURN QUERY SELECT v_made.id, v_made.created, v_made.state;
END
$$;
