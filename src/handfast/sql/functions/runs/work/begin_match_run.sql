-- For workers of ours, which claim through the engine: the first two steps, in one call. held is
-- false when the run is no longer this worker's, or has ended; then nothing was changed. ended is
-- also true of a run that is forgotten: nobody waits for it, and its job may go.
--
-- The commit is not waited for: what is noted of steps is lost with a crash, and so is the attempt.
-- Only for a call that is a transaction of its own.
CREATE OR REPLACE FUNCTION handfast_runs.begin_match_run(p_run_id uuid, p_worker_id text, p_token bigint)
RETURNS TABLE (
    held boolean, ended boolean, error_code text, corpus_version integer, startup_id text, name text,
    stage text, country text, raising bigint, sectors text[], pitch text
)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    SELECT coalesce(bool_or(r.ended IS NOT NULL), true) INTO ended
    FROM handfast_runs.records AS r WHERE r.run_id = p_run_id;
    held := handfast_runs.holder(p_run_id, p_worker_id, p_token) IS NOT NULL;
    IF NOT held OR ended THEN
        RETURN NEXT;
        RETURN;
    END IF;
    PERFORM set_config('synchronous_commit', 'off', true);
    SELECT p.* INTO error_code, corpus_version, startup_id, name, stage, country, raising, sectors,
        pitch
    FROM handfast_runs.pin_run(p_run_id, p_token, true) AS p;
    RETURN NEXT;
END
$$;
