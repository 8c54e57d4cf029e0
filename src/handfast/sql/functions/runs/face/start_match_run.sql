-- The one run of an address, however often and by however many it is asked for, in the caller's
-- transaction: see handfast_runs.start_match_run.
CREATE OR REPLACE FUNCTION handfast.start_match_run(
    url   text,
    fresh boolean DEFAULT false
) RETURNS TABLE (
    created boolean, run_id uuid, startup_id text, input_url text, canonical_url text,
    status handfast.match_run_status, step handfast.match_run_step, match_count integer, error_code text,
    error_message text, locked_by text, lock_expires_at timestamptz, created_at timestamptz,
    updated_at timestamptz, corpus_version integer
)
LANGUAGE sql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
    SELECT * FROM handfast_runs.start_match_run(start_match_run.url, start_match_run.fresh)
$$;
