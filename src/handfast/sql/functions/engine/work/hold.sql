-- These attempts are about to end in this transaction: until then nobody else takes or ends their jobs
-- (rescue passes over what is locked). Answers those that are still theirs. Each is looked up by its
-- key; p_ids should be sorted, as everybody locks jobs.
CREATE OR REPLACE FUNCTION handfast_engine.hold(p_ids bigint[], p_tokens bigint[]) RETURNS bigint[]
LANGUAGE plpgsql
SET enable_seqscan = off SET jit = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN ARRAY(
        SELECT held.id FROM unnest(p_ids, p_tokens) AS n(id, token) CROSS JOIN LATERAL (
            SELECT l.id FROM handfast_engine.live AS l
            WHERE l.id = n.id AND l.token = n.token AND l.started_at IS NOT NULL  -- that is, running
            FOR UPDATE
        ) AS held
    );
END
$$;
