-- The attempt has come to this step. False when the run is no longer this worker's: nothing was
-- noted, and what it does from now on is for nothing.
--
-- The commit is not waited for, as in handfast_runs.begin_match_run. Only for a call that is a transaction of
-- its own.
CREATE OR REPLACE FUNCTION handfast_runs.advance_match_run(
    p_run_id    uuid,
    p_worker_id text,
    p_token     bigint,
    p_step      handfast.match_run_step
) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF handfast_runs.holder(p_run_id, p_worker_id, p_token) IS NULL THEN
        RETURN false;
    END IF;
    PERFORM set_config('synchronous_commit', 'off', true);
    PERFORM handfast_runs.note_step(p_run_id, p_token, p_step);
    RETURN true;
END
$$;
