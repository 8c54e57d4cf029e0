-- Running jobs returned unfinished by a worker that is stopping. It does not count as a failure.
-- The answer names those that were still its own.
CREATE OR REPLACE FUNCTION engine.hand_back(p_ids bigint[], p_tokens bigint[]) RETURNS bigint[]
LANGUAGE plpgsql AS $$
DECLARE
    v_now timestamptz := db.now();
    v_ids bigint[];
    v_lanes text[];
    v_unwanted bigint[];
BEGIN
    WITH held AS (
        SELECT l.* FROM engine.live AS l
        JOIN unnest(p_ids, p_tokens) AS n(id, token) ON l.id = n.id AND l.token = n.token
        WHERE l.started_at IS NOT NULL ORDER BY l.id FOR UPDATE OF l
    ), written AS (
        INSERT INTO engine.attempts (
            job_id, token, finished_at, started_at, due_at, worker, attempt, outcome, priority, kind
        )
        SELECT h.id, h.token, v_now, h.started_at, h.due_at, h.worker, h.attempt, 'handed_back',
               h.priority, h.kind
        FROM held AS h
    ), back AS (
        UPDATE engine.live AS l
        SET state = 'ready', worker = NULL, started_at = NULL, lease_until = NULL
        FROM held AS h WHERE l.id = h.id
        RETURNING l.id, l.lane, l.cancelling
    )
    SELECT coalesce(array_agg(b.id), '{}'), array_agg(DISTINCT b.lane),
           array_agg(b.id) FILTER (WHERE b.cancelling)
    INTO v_ids, v_lanes, v_unwanted
    FROM back AS b;
    PERFORM engine.withdraw(u.id, 'cancelled', 'cancelled while it ran')
    FROM unnest(v_unwanted) AS u(id);
    IF v_lanes IS NOT NULL THEN
        PERFORM engine.wake(v_lanes);
    END IF;
    RETURN v_ids;
END
$$;
