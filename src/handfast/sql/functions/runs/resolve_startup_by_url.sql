-- A stand-in until the real one is merged.
CREATE OR REPLACE FUNCTION runs.resolve_startup_by_url(p_url text, p_version integer DEFAULT NULL)
RETURNS TABLE (startup_id text, name text, canonical_url text, version integer)
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp AS $$
    SELECT s.startup_id, s.name, s.canonical_url, s.version
    FROM runs.startup_uploads AS s
    WHERE s.version = coalesce(p_version, (SELECT c.version FROM runs.corpus_versions AS c WHERE c.state = 'current'))
      AND s.canonical_url = runs.canonicalize_url(p_url)
$$;
