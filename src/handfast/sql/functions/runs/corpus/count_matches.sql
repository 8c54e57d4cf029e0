-- How many matches a startup has, in the current version of the corpus or in the one named.
--
-- Read from the index alone, whatever the statistics say while a version is young.
CREATE OR REPLACE FUNCTION handfast_runs.count_matches(
    startup_id     text,
    corpus_version integer DEFAULT NULL
) RETURNS integer
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET jit = off SET enable_bitmapscan = off AS $$
DECLARE
    v_version integer := corpus_version;
BEGIN
    IF v_version IS NULL THEN
        SELECT c.version INTO v_version FROM handfast_runs.corpus_versions AS c WHERE c.state = 'current';
    END IF;
    RETURN (
        SELECT count(*) FROM handfast_runs.startup_investor_matches AS m
        WHERE m.version = v_version AND m.startup_id = count_matches.startup_id
    );
END
$$;
