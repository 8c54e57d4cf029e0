-- One run for an address, however often and by however many it is asked for. A ready run of the
-- present corpus that is younger than a day is answered again, and one that found no such company
-- in it, unless fresh; a run that has not ended is answered, also to fresh; otherwise there is a
-- new one, in the caller's transaction.
CREATE OR REPLACE FUNCTION handfast_runs.start_match_run(
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
    SELECT * FROM handfast_runs.start_canonical_run(
        start_match_run.url, handfast_runs.canonicalize_url(start_match_run.url), start_match_run.fresh
    )
$$;
