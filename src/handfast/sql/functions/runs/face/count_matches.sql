-- How many matches a startup has: see handfast_runs.count_matches.
CREATE OR REPLACE FUNCTION handfast.count_matches(
    startup_id     text,
    corpus_version integer DEFAULT NULL
) RETURNS integer
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
    SELECT handfast_runs.count_matches(count_matches.startup_id, count_matches.corpus_version)
$$;
