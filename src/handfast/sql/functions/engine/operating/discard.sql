-- Dead letters that nobody will requeue: they leave the list, and the reason is kept.
CREATE OR REPLACE FUNCTION handfast_engine.discard(p_ids bigint[], p_reason text) RETURNS bigint[]
LANGUAGE sql AS $$
    WITH gone AS (
        UPDATE handfast_engine.dead SET discarded_at = handfast_db.now(), discard_reason = p_reason
        WHERE job_id = ANY (p_ids) AND discarded_at IS NULL
        RETURNING job_id
    )
    SELECT coalesce(array_agg(job_id), '{}') FROM gone
$$;
