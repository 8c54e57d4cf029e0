-- These attempts succeeded. Only those whose token is still theirs are taken: the others have lost
-- their lease, and are not in the answer. Dependants are freed in the same transaction.
CREATE OR REPLACE FUNCTION engine.finish(
    p_ids     bigint[],
    p_tokens  bigint[],
    p_results jsonb[] DEFAULT NULL
) RETURNS bigint[]
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_now      timestamptz := db.now();
    v_accepted bigint[];
    v_awaited  bigint[];
BEGIN
    WITH gone AS (
        DELETE FROM engine.live AS l
        USING unnest(p_ids, p_tokens, p_results) AS n(id, token, result)
        WHERE l.id = n.id AND l.token = n.token AND l.state = 'running'
        RETURNING l.id, l.token, l.started_at, l.due_at, l.worker, l.attempt, l.priority, l.version,
                  l.lane, l.kind, l.payload, n.result
    ), written AS (
        INSERT INTO engine.attempts (
            job_id, token, finished_at, started_at, due_at, worker, attempt, outcome, priority,
            version, lane, kind, payload, result
        )
        SELECT g.id, g.token, v_now, g.started_at, g.due_at, g.worker, g.attempt, 'succeeded',
               g.priority, g.version, g.lane, g.kind, g.payload, g.result
        FROM gone AS g
    ), ended AS (
        UPDATE engine.jobs AS j
        SET state = 'succeeded', came_from = 'running', token = g.token, finished_at = v_now
        FROM gone AS g
        WHERE j.id = g.id
        RETURNING j.id, j.depended_on
    )
    SELECT coalesce(array_agg(e.id), '{}'), array_agg(e.id) FILTER (WHERE e.depended_on)
    INTO v_accepted, v_awaited
    FROM ended AS e;

    DELETE FROM engine.progress AS p WHERE p.job_id = ANY (v_accepted);
    IF v_awaited IS NOT NULL THEN
        PERFORM engine.free_dependants(v_awaited);
    END IF;
    RETURN v_accepted;
END
$$;
