-- The first two steps of an attempt. Resolve: which version of the corpus the run answers from (the
-- current one, from now on for good) and which startup the address is. Extract: its stored profile.
-- Without a corpus, or without such a startup, error_code says so and nothing is pinned.
CREATE OR REPLACE FUNCTION runs.pin_startup(p_run_id uuid, p_token bigint)
RETURNS TABLE (
    error_code text, corpus_version integer, startup_id text, name text, stage text, country text,
    raising bigint, sectors text[], pitch text
)
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    v_url text;
BEGIN
    PERFORM runs.note_step(p_run_id, p_token, 'resolve');
    SELECT r.canonical_url, coalesce(r.corpus_version, c.version) INTO v_url, corpus_version
    FROM runs.records AS r
    LEFT JOIN runs.corpus_versions AS c ON c.state = 'current'
    WHERE r.run_id = p_run_id;
    IF corpus_version IS NULL THEN
        error_code := 'NO_CORPUS';
        RETURN NEXT;
        RETURN;
    END IF;
    SELECT f.startup_id INTO startup_id
    FROM runs.resolve_startup_by_url(v_url, corpus_version) AS f LIMIT 1;
    UPDATE runs.records AS r SET corpus_version = pin_startup.corpus_version,
        startup_id = pin_startup.startup_id
    WHERE r.run_id = p_run_id AND r.ended IS NULL;
    IF startup_id IS NULL THEN
        error_code := 'STARTUP_NOT_FOUND';
        RETURN NEXT;
        RETURN;
    END IF;
    PERFORM runs.note_step(p_run_id, p_token, 'extract');
    SELECT s.name, s.stage, s.country, s.raising, s.sectors, s.pitch
    INTO name, stage, country, raising, sectors, pitch
    FROM runs.startup_uploads AS s
    WHERE s.version = corpus_version AND s.startup_id = pin_startup.startup_id;
    RETURN NEXT;
END
$$;
