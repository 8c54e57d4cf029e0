-- These jobs live again: what was blocked because they had ended is only waiting again, unless
-- another of its prerequisites has ended too. In order of id, as everybody locks dependants.
CREATE OR REPLACE FUNCTION handfast_engine.clear_blame(p_ids bigint[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM handfast_engine.live AS l
    WHERE l.state = 'blocked' AND l.id IN (
        SELECT p.job_id FROM handfast_engine.prerequisites AS p WHERE p.requires_id = ANY (p_ids)
    ) ORDER BY l.id FOR UPDATE;
    UPDATE handfast_engine.live AS l SET reason = (
        SELECT min(format('prerequisite %s %s is %s', j.kind, j.key, j.state))
        FROM handfast_engine.prerequisites AS p JOIN handfast_engine.jobs AS j ON j.id = p.requires_id
        WHERE p.job_id = l.id AND NOT p.met AND j.state IN ('dead', 'cancelled', 'skipped')
    )
    WHERE l.state = 'blocked' AND l.id IN (
        SELECT p.job_id FROM handfast_engine.prerequisites AS p WHERE p.requires_id = ANY (p_ids)
    );
END
$$;
