-- End what waits in a group, without running it: p_state is cancelled or skipped. Answers how many.
-- What somebody else holds at this moment is left; it is about to run, and its handler decides.
--
-- 10,000 jobs at most, in any order: some 0.2 s, of the 20 s that a statement has. All of a million in
-- one statement would never end, and be tried again for ever. Who meets one of the rest withdraws more.
CREATE OR REPLACE FUNCTION handfast_engine.withdraw_group(
    p_group text, p_state handfast_engine.job_state, p_reason text
) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
    v_max     CONSTANT integer := 10000;
    v_now     timestamptz := handfast_db.now();
    v_count   integer;
    v_awaited bigint[];
BEGIN
    WITH waiting AS MATERIALIZED (
        SELECT l.id FROM handfast_engine.live AS l
        WHERE l.group_name = p_group AND l.state IN ('scheduled', 'ready', 'blocked')
        LIMIT v_max FOR UPDATE SKIP LOCKED
    ), gone AS (
        DELETE FROM handfast_engine.live AS l USING waiting AS w WHERE l.id = w.id RETURNING l.*
    ), written AS (
        INSERT INTO handfast_engine.attempts (
            job_id, token, finished_at, due_at, attempt, outcome, priority, kind, version, lane,
            error, payload
        )
        SELECT g.id, g.token, v_now, g.due_at, g.attempt, p_state::text::handfast_engine.outcome, g.priority,
               g.kind, g.version, g.lane, p_reason, g.payload
        FROM gone AS g
    ), ended AS (
        UPDATE handfast_engine.jobs AS j
        SET state = p_state, came_from = g.state, token = g.token, finished_at = v_now
        FROM gone AS g WHERE j.id = g.id
        RETURNING j.id, j.depended_on
    )
    SELECT count(*), array_agg(e.id) FILTER (WHERE e.depended_on) INTO v_count, v_awaited
    FROM ended AS e;
    IF v_awaited IS NOT NULL THEN
        PERFORM handfast_engine.stop_blocked(
            array_agg(p.job_id), array_agg(format('%s %s is %s', j.kind, j.key, p_state))
        )
        FROM handfast_engine.prerequisites AS p
        JOIN handfast_engine.jobs AS j ON j.id = p.requires_id
        WHERE p.requires_id = ANY (v_awaited) AND NOT p.met
        HAVING count(*) > 0;
    END IF;
    RETURN v_count;
END
$$;
