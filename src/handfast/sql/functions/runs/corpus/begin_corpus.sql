-- The next version of the corpus: its row, and three tables of its own that nobody reads yet. They
-- are like the parents but without indexes, which are made when the rows are there. The check on
-- the version is what later lets each be attached without being read.
CREATE OR REPLACE FUNCTION handfast_runs.begin_corpus(p_source text) RETURNS integer
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_version integer;
    v_parent  text;
BEGIN
    INSERT INTO handfast_runs.corpus_versions (made_at, source) VALUES (handfast_db.now(), p_source)
    RETURNING version INTO v_version;
    FOREACH v_parent IN ARRAY ARRAY['startup_uploads', 'investors', 'startup_investor_matches'] LOOP
        EXECUTE format(
            'CREATE TABLE handfast_runs.%I (LIKE handfast_runs.%I INCLUDING DEFAULTS INCLUDING CONSTRAINTS,'
            ' CONSTRAINT corpus_part CHECK (version = %s))',
            v_parent || '_v' || v_version, v_parent, v_version
        );
    END LOOP;
    RETURN v_version;
END
$$;
REVOKE ALL ON FUNCTION handfast_runs.begin_corpus(text) FROM PUBLIC;
