-- Jobs go on under another kind, whatever their state: what has been done stays done, what waits is
-- worked on by whoever does the new kind. One whose new identity is taken keeps the old. Answers those
-- that were renamed.
CREATE OR REPLACE FUNCTION handfast_engine.rename_jobs(p_ids bigint[], p_kinds text[]) RETURNS bigint[]
LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    v_ids   bigint[];
    v_kinds text[];
BEGIN
    -- As whoever finishes a job: what is live first, then the identity.
    PERFORM 1 FROM handfast_engine.live AS l WHERE l.id = ANY (p_ids) ORDER BY l.id FOR UPDATE;
    PERFORM 1 FROM handfast_engine.jobs AS j WHERE j.id = ANY (p_ids) ORDER BY j.id FOR UPDATE;
    WITH renamed AS (
        UPDATE handfast_engine.jobs AS j SET kind = n.kind
        FROM unnest(p_ids, p_kinds) AS n(id, kind)
        WHERE j.id = n.id AND NOT EXISTS (
            SELECT 1 FROM handfast_engine.jobs AS e WHERE e.kind = n.kind AND e.key = j.key
        )
        RETURNING j.id, n.kind
    )
    SELECT coalesce(array_agg(r.id), '{}'), array_agg(r.kind) INTO v_ids, v_kinds
    FROM renamed AS r;
    UPDATE handfast_engine.live AS l SET kind = n.kind
    FROM unnest(v_ids, v_kinds) AS n(id, kind) WHERE l.id = n.id;
    UPDATE handfast_engine.dead AS d SET kind = n.kind, job = d.job || jsonb_build_object('kind', n.kind)
    FROM unnest(v_ids, v_kinds) AS n(id, kind) WHERE d.job_id = n.id;
    RETURN v_ids;
END
$$;
