-- Everything that is known of a run, as JSON: see handfast_runs.get_match_run_debug.
CREATE OR REPLACE FUNCTION handfast.get_match_run_debug(run_id uuid) RETURNS jsonb
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
    SELECT handfast_runs.get_match_run_debug(get_match_run_debug.run_id)
$$;
