-- These jobs (p_ids[i]) no longer wait for those (p_requires[i]). What waited for nothing else may go
-- when it is due. Dependants are locked in order of id, as by handfast_engine.free_dependants.
CREATE OR REPLACE FUNCTION handfast_engine.unlink_jobs(p_ids bigint[], p_requires bigint[]) RETURNS void
LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    v_now   timestamptz := handfast_db.now();
    v_lanes text[];
BEGIN
    PERFORM 1 FROM handfast_engine.live AS l WHERE l.id = ANY (p_ids) ORDER BY l.id FOR UPDATE;
    WITH gone AS (
        DELETE FROM handfast_engine.prerequisites AS p USING unnest(p_ids, p_requires) AS n(id, requires_id)
        WHERE p.job_id = n.id AND p.requires_id = n.requires_id
        RETURNING p.job_id, p.met
    ), counted AS (
        SELECT g.job_id, count(*)::integer AS n FROM gone AS g WHERE NOT g.met GROUP BY g.job_id
    ), freed AS (
        UPDATE handfast_engine.live AS l
        SET waits_for = l.waits_for - c.n, reason = NULL,
            state = CASE WHEN l.waits_for > c.n THEN l.state
                         WHEN l.due_at > v_now THEN 'scheduled'::handfast_engine.job_state
                         ELSE 'ready'::handfast_engine.job_state END
        FROM counted AS c WHERE l.id = c.job_id AND l.state = 'blocked'
        RETURNING l.lane, l.state
    )
    SELECT array_agg(DISTINCT f.lane) FILTER (WHERE f.state = 'ready') INTO v_lanes FROM freed AS f;
    PERFORM handfast_engine.wake(v_lanes);
END
$$;
