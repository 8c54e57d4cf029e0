-- A run and, when it is ready, its best matches as JSON: see handfast_runs.get_match_run.
CREATE OR REPLACE FUNCTION handfast.get_match_run(
    INOUT run_id uuid,
    "limit" integer DEFAULT 200,
    OUT startup_id text, OUT input_url text, OUT canonical_url text,
    OUT status handfast.match_run_status, OUT step handfast.match_run_step, OUT match_count integer,
    OUT error_code text, OUT error_message text, OUT locked_by text,
    OUT lock_expires_at timestamptz, OUT created_at timestamptz, OUT updated_at timestamptz,
    OUT corpus_version integer, OUT matches jsonb
) RETURNS SETOF record
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
    SELECT * FROM handfast_runs.get_match_run(get_match_run.run_id, get_match_run."limit")
$$;
