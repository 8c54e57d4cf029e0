-- Dead letters that nobody will requeue: they leave the list, and the reason is kept.
CREATE OR REPLACE FUNCTION handfast_engine.discard(p_ids bigint[], p_reason text) RETURNS bigint[]
LANGUAGE sql AS $$
    WITH letters AS (  -- in the order in which requeue locks them
        SELECT d.job_id FROM handfast_engine.dead AS d
        WHERE d.job_id = ANY (p_ids) AND d.discarded_at IS NULL
        ORDER BY d.job_id FOR UPDATE
    ), gone AS (
        UPDATE handfast_engine.dead AS d SET discarded_at = handfast_db.now(), discard_reason = p_reason
        FROM letters AS t WHERE d.job_id = t.job_id
        RETURNING d.job_id
    )
    SELECT coalesce(array_agg(job_id), '{}') FROM gone
$$;
