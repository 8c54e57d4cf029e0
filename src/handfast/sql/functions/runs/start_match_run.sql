-- One run for an address, however often and by however many it is asked for. A ready run of the
-- present corpus that is younger than a day is answered again, unless p_fresh; a run that has not
-- ended is answered, also to p_fresh; otherwise there is a new one, in the caller's transaction.
CREATE OR REPLACE FUNCTION runs.start_match_run(
    p_url   text,
    p_fresh boolean DEFAULT false
) RETURNS TABLE (
    created boolean, run_id uuid, startup_id text, input_url text, canonical_url text,
    status runs.match_run_status, step runs.match_run_step, match_count integer, error_code text,
    error_message text, locked_by text, lock_expires_at timestamptz, created_at timestamptz,
    updated_at timestamptz, corpus_version integer
)
LANGUAGE sql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
    SELECT * FROM runs.start_canonical_run(p_url, runs.canonicalize_url(p_url), p_fresh)
$$;
