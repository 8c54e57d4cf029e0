-- Runs that ended longer ago than p_kept, at most p_limit of them; their steps go with them. Answers
-- how many.
CREATE OR REPLACE FUNCTION handfast_runs.prune(p_kept interval, p_limit integer) RETURNS integer
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_removed integer;
BEGIN
    -- By the time they were made, which has an index; a run lives for seconds.
    DELETE FROM handfast_runs.records AS r
    WHERE r.run_id = ANY (ARRAY(
        SELECT o.run_id FROM handfast_runs.records AS o
        WHERE o.created_at < handfast_db.now() - p_kept AND o.ended_at < handfast_db.now() - p_kept
        ORDER BY o.created_at LIMIT p_limit
    ));
    GET DIAGNOSTICS v_removed = ROW_COUNT;
    RETURN v_removed;
END
$$;
