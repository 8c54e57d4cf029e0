-- The present address of a canonical URL: where its alias leads, or itself.
CREATE OR REPLACE FUNCTION handfast_runs.apply_alias(p_canonical_url text) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(
        (SELECT a.target FROM handfast_runs.aliases AS a WHERE a.canonical_url = p_canonical_url COLLATE "C"),
        p_canonical_url)
$$;

REVOKE ALL ON FUNCTION handfast_runs.apply_alias(text) FROM PUBLIC;
