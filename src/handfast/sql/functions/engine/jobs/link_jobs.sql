-- These jobs (p_ids[i]), which have ended and are about to be revived, wait for those (p_requires[i])
-- from now on. The prerequisites' identities are locked as by handfast_engine.enqueue.
CREATE OR REPLACE FUNCTION handfast_engine.link_jobs(p_ids bigint[], p_requires bigint[]) RETURNS void
LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan AS $$
BEGIN
    PERFORM 1 FROM handfast_engine.jobs AS j WHERE j.id = ANY (p_requires) ORDER BY j.id FOR UPDATE;
    UPDATE handfast_engine.jobs AS j SET depended_on = true
    WHERE j.id = ANY (p_requires) AND NOT j.depended_on;
    INSERT INTO handfast_engine.prerequisites (job_id, requires_id, met)
    SELECT n.id, n.requires_id, j.state IS NOT DISTINCT FROM 'succeeded'
    FROM unnest(p_ids, p_requires) AS n(id, requires_id)
    JOIN handfast_engine.jobs AS j ON j.id = n.requires_id
    ON CONFLICT DO NOTHING;
END
$$;
