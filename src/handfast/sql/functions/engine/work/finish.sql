-- These attempts succeeded. Only those whose token is still theirs are taken: the others have lost
-- their lease, and are not in the answer. Dependants are freed in the same transaction.
--
-- Mostly they come from one claim and have no result: then all have the same token, nothing need be
-- paired with anything, and the rows are taken out in one step, without being locked first.
--
-- The rows are looked up one by one, by their primary key, in a subquery that the planner cannot
-- turn round: it once knew from its statistics that nothing was running, began with the running
-- jobs, and compared each of them with each of ours.
CREATE OR REPLACE FUNCTION handfast_engine.finish(
    p_ids     bigint[],
    p_tokens  bigint[],
    p_results jsonb[] DEFAULT NULL
) RETURNS bigint[]
LANGUAGE plpgsql
SET enable_seqscan = off SET jit = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_now      timestamptz := handfast_db.now();
    v_accepted bigint[];
    v_awaited  bigint[];
    v_token    bigint := p_tokens[1];
BEGIN
    IF p_results IS NULL AND v_token = ALL (p_tokens) AND cardinality(p_ids) = cardinality(p_tokens) THEN
        WITH gone AS (
            DELETE FROM handfast_engine.live AS l
            WHERE l.id = ANY (p_ids) AND l.token = v_token
              AND l.started_at IS NOT NULL  -- that is, running
            RETURNING l.id, l.started_at, l.due_at, l.first_due_at - l.anchor_offset AS anchor_at,
                      l.worker, l.attempt, l.priority, l.version, l.lane, l.kind, l.payload
        ), written AS (
            INSERT INTO handfast_engine.attempts (
                job_id, token, finished_at, started_at, due_at, anchor_at, worker, attempt, outcome,
                priority, version, lane, kind, payload
            )
            SELECT g.id, v_token, v_now, g.started_at, g.due_at, g.anchor_at, g.worker, g.attempt,
                   'succeeded', g.priority, g.version, g.lane, g.kind, g.payload
            FROM gone AS g
        ), ended AS (
            UPDATE handfast_engine.jobs AS j
            SET state = 'succeeded', came_from = 'running', token = v_token, finished_at = v_now
            WHERE j.id = ANY (ARRAY(SELECT g.id FROM gone AS g))
            RETURNING j.id, j.depended_on
        )
        SELECT coalesce(array_agg(e.id), '{}'), array_agg(e.id) FILTER (WHERE e.depended_on)
        INTO v_accepted, v_awaited
        FROM ended AS e;
    ELSE
        WITH mine AS MATERIALIZED (
            SELECT l.*, n.result
            FROM unnest(p_ids, p_tokens, p_results) AS n(id, token, result)
            CROSS JOIN LATERAL (
                SELECT h.id, h.token, h.started_at, h.due_at, h.worker, h.attempt, h.priority, h.version,
                       h.lane, h.kind, h.payload, h.first_due_at - h.anchor_offset AS anchor_at
                FROM handfast_engine.live AS h
                WHERE h.id = n.id AND h.token = n.token
                  AND h.started_at IS NOT NULL  -- that is, running
                FOR UPDATE
            ) AS l
        ), gone AS (
            DELETE FROM handfast_engine.live AS l WHERE l.id = ANY (ARRAY(SELECT m.id FROM mine AS m))
        ), written AS (
            INSERT INTO handfast_engine.attempts (
                job_id, token, finished_at, started_at, due_at, anchor_at, worker, attempt, outcome,
                priority, version, lane, kind, payload, result
            )
            SELECT m.id, m.token, v_now, m.started_at, m.due_at, m.anchor_at, m.worker, m.attempt,
                   'succeeded', m.priority, m.version, m.lane, m.kind, m.payload, m.result
            FROM mine AS m
        ), ended AS (
            UPDATE handfast_engine.jobs AS j
            SET state = 'succeeded', came_from = 'running', token = m.token, finished_at = v_now
            FROM mine AS m
            WHERE j.id = m.id
            RETURNING j.id, j.depended_on
        )
        SELECT coalesce(array_agg(e.id), '{}'), array_agg(e.id) FILTER (WHERE e.depended_on)
        INTO v_accepted, v_awaited
        FROM ended AS e;
    END IF;

    IF EXISTS (SELECT 1 FROM handfast_engine.progress) THEN  -- hardly any job reports it
        DELETE FROM handfast_engine.progress AS p WHERE p.job_id = ANY (v_accepted);
    END IF;
    IF v_awaited IS NOT NULL THEN
        PERFORM handfast_engine.free_dependants(v_awaited);
    END IF;
    RETURN v_accepted;
END
$$;
