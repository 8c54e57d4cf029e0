-- The next run, the caller's for so many seconds: see handfast_runs.claim_next_match_run.
CREATE OR REPLACE FUNCTION handfast.claim_next_match_run(
    worker_id     text,
    lease_seconds integer DEFAULT 300
) RETURNS TABLE (
    run_id uuid, token bigint, attempt integer, input_url text, canonical_url text,
    corpus_version integer, startup_id text, error_code text, lock_expires_at timestamptz
)
LANGUAGE sql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
    SELECT * FROM handfast_runs.claim_next_match_run(
        claim_next_match_run.worker_id, claim_next_match_run.lease_seconds
    )
$$;
