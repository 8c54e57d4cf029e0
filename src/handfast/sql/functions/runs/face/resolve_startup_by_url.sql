-- The startup that a URL leads to, or no row: see handfast_runs.resolve_startup_by_url.
CREATE OR REPLACE FUNCTION handfast.resolve_startup_by_url(
    url            text,
    corpus_version integer DEFAULT NULL
) RETURNS TABLE (startup_id text, name text, canonical_url text, version integer)
LANGUAGE sql STABLE PARALLEL SAFE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
    SELECT * FROM handfast_runs.resolve_startup_by_url(
        resolve_startup_by_url.url, resolve_startup_by_url.corpus_version
    )
$$;
