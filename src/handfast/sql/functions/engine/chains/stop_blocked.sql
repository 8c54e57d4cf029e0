-- A prerequisite of each of these blocked jobs (p_ids[i]) will not succeed as things stand, because
-- of p_reasons[i]. By its kind's policy a job is skipped, or stays blocked with the reason shown until
-- the prerequisite is requeued. The class of its last attempt says how: prerequisite_dead, or
-- prerequisite_withdrawn if all of those that stop it were skipped or cancelled, and may come back.
--
-- Who waits for what was skipped comes next: all chains go one step at a time, by statements over
-- the whole set. Not each job from within the one before: a chain may be longer than PostgreSQL's
-- stack is deep, and then its first job could not end, nor anything be rescued together with it.
CREATE OR REPLACE FUNCTION handfast_engine.stop_blocked(p_ids bigint[], p_reasons text[])
RETURNS void
LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    v_now     timestamptz := handfast_db.now();
    v_ids     bigint[] := p_ids;
    v_reasons text[] := p_reasons;
    v_skips   boolean[];
    v_skipped bigint[];
BEGIN
    WHILE cardinality(v_ids) > 0 LOOP
        -- Dependants are locked in order of id, as by handfast_engine.free_dependants; each is looked
        -- up by its key, in a subquery that the planner cannot turn round.
        SELECT array_agg(b.id), array_agg('prerequisite ' || b.reason), array_agg(b.skip),
               array_agg(b.id) FILTER (WHERE b.skip)
        INTO v_ids, v_reasons, v_skips, v_skipped
        FROM (
            SELECT l.id, n.reason, EXISTS (
                SELECT 1 FROM handfast_engine.kinds AS k
                WHERE k.kind = l.kind AND k.on_prerequisite_death = 'skip'
            ) AS skip
            FROM (
                SELECT u.id, max(u.reason) AS reason FROM unnest(v_ids, v_reasons) AS u(id, reason)
                GROUP BY u.id ORDER BY u.id
            ) AS n
            CROSS JOIN LATERAL (
                SELECT h.id, h.kind FROM handfast_engine.live AS h
                WHERE h.id = n.id AND h.state = 'blocked' FOR UPDATE
            ) AS l
        ) AS b;
        IF false = ANY (v_skips) THEN
            UPDATE handfast_engine.live AS l SET reason = t.reason
            FROM unnest(v_ids, v_reasons, v_skips) AS t(id, reason, skip)
            WHERE l.id = ANY (v_ids) AND l.id = t.id AND NOT t.skip;
        END IF;
        EXIT WHEN v_skipped IS NULL;

        -- Who enqueues something that requires one of these sees how it ends, or is seen below.
        PERFORM 1 FROM handfast_engine.jobs AS j
        WHERE j.id = ANY (v_skipped) ORDER BY j.id FOR UPDATE;
        WITH gone AS (
            DELETE FROM handfast_engine.live AS l WHERE l.id = ANY (v_skipped)
            RETURNING l.id, l.token, l.state, l.due_at, l.attempt, l.priority, l.kind, l.version,
                      l.lane, l.payload
        ), ended AS (
            UPDATE handfast_engine.jobs AS j
            SET state = 'skipped', came_from = g.state, token = g.token, finished_at = v_now
            FROM gone AS g WHERE j.id = ANY (v_skipped) AND j.id = g.id
        )
        INSERT INTO handfast_engine.attempts (
            job_id, token, finished_at, due_at, attempt, outcome, priority, kind, version, lane,
            error_class, error, payload
        )
        SELECT g.id, g.token, v_now, g.due_at, g.attempt, 'skipped', g.priority, g.kind, g.version,
               g.lane, CASE WHEN EXISTS (
                   SELECT 1 FROM handfast_engine.prerequisites AS p
                   JOIN handfast_engine.jobs AS r ON r.id = p.requires_id
                   WHERE p.job_id = g.id AND r.state = 'dead'
               ) THEN 'prerequisite_dead' ELSE 'prerequisite_withdrawn' END,
               t.reason, g.payload
        FROM gone AS g JOIN unnest(v_ids, v_reasons) AS t(id, reason) ON t.id = g.id;

        SELECT array_agg(p.job_id), array_agg(format('%s %s is skipped', j.kind, j.key))
        INTO v_ids, v_reasons
        FROM handfast_engine.prerequisites AS p
        JOIN handfast_engine.jobs AS j ON j.id = p.requires_id
        WHERE p.requires_id = ANY (v_skipped) AND NOT p.met;
    END LOOP;
END
$$;
