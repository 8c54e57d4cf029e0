-- The first two steps of an attempt. Resolve: which version of the corpus the run answers from (the
-- current one, from now on for good) and which startup the address is. Extract: its stored profile.
-- Without a corpus, or without such a startup, error_code says so. Both take well under a
-- millisecond, so they are noted together, with the times that they really had; the step after them
-- has begun if p_parses, otherwise extract goes on.
CREATE OR REPLACE FUNCTION handfast_runs.pin_run(p_run_id uuid, p_token bigint, p_parses boolean)
RETURNS TABLE (
    error_code text, corpus_version integer, startup_id text, name text, stage text, country text,
    raising bigint, sectors text[], pitch text
)
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    v_url   text;
    v_began timestamptz := handfast_db.now();
    v_found timestamptz;
    v_now   timestamptz;
    v_step  handfast.match_run_step := 'resolve';
BEGIN
    SELECT r.canonical_url, coalesce(r.corpus_version, c.version) INTO v_url, corpus_version
    FROM handfast_runs.records AS r
    LEFT JOIN handfast_runs.corpus_versions AS c ON c.state = 'current'
    WHERE r.run_id = p_run_id;
    IF corpus_version IS NULL THEN
        error_code := 'NO_CORPUS';
    ELSE
        SELECT f.startup_id INTO startup_id
        FROM handfast_runs.resolve_startup_by_url(v_url, corpus_version) AS f LIMIT 1;
        IF startup_id IS NULL THEN
            error_code := 'STARTUP_NOT_FOUND';
        ELSE
            v_found := handfast_db.now();
            SELECT s.name, s.stage, s.country, s.raising, s.sectors, s.pitch
            INTO name, stage, country, raising, sectors, pitch
            FROM handfast_runs.startup_uploads AS s
            WHERE s.version = corpus_version AND s.startup_id = pin_run.startup_id;
            v_step := CASE WHEN p_parses THEN 'parse' ELSE 'extract' END;
        END IF;
    END IF;
    v_now := handfast_db.now();
    INSERT INTO handfast_runs.steps (run_id, token, step, began_at, ended_at)
    SELECT p_run_id, p_token, n.step::handfast.match_run_step, n.began_at, n.ended_at
    FROM (VALUES
        ('resolve', v_began, v_found),
        ('extract', v_found, CASE WHEN p_parses THEN v_now END),
        ('parse', CASE WHEN p_parses AND v_found IS NOT NULL THEN v_now END, NULL)
    ) AS n(step, began_at, ended_at)
    WHERE n.began_at IS NOT NULL
    ON CONFLICT ON CONSTRAINT steps_pkey DO NOTHING;  -- asked again by the same attempt
    UPDATE handfast_runs.records AS r SET corpus_version = pin_run.corpus_version,
        startup_id = pin_run.startup_id, step = v_step, updated_at = v_now
    WHERE r.run_id = p_run_id AND r.ended IS NULL;
    RETURN NEXT;
END
$$;
