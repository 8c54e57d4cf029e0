-- The one spelling of a URL: see handfast_runs.canonicalize_url.
CREATE OR REPLACE FUNCTION handfast.canonicalize_url(text text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
    SELECT handfast_runs.canonicalize_url(canonicalize_url.text)
$$;
