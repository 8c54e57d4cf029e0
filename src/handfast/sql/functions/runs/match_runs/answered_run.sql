-- The run that has answered for this canonical URL and still does; null if there is none. A ready one
-- does for a day, while its version of the corpus is the current one. That the company is not in
-- the corpus is an answer too, and has no day: it does while it is true of the current version, with
-- the aliases and the shared hosts as they are now.
CREATE OR REPLACE FUNCTION handfast_runs.answered_run(p_canonical_url text) RETURNS uuid
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    c_reused CONSTANT interval := '24 hours';
    v_run    uuid;
    v_code   text;
    v_found  boolean;
BEGIN
    SELECT r.run_id, r.error_code INTO v_run, v_code
    FROM handfast_runs.records AS r JOIN handfast_runs.corpus_versions AS c ON c.version = r.corpus_version
    WHERE r.canonical_url = p_canonical_url COLLATE "C" AND c.state = 'current'
      AND r.ended IS NOT NULL
      AND (r.ended = 'ready' AND r.ended_at > handfast_db.now() - c_reused
           OR r.error_code = 'STARTUP_NOT_FOUND')
    ORDER BY r.ended_at DESC LIMIT 1;
    IF v_code IS NOT NULL THEN
        SELECT true INTO v_found FROM handfast_runs.resolve_startup_by_url(p_canonical_url);
        IF v_found THEN
            RETURN NULL;
        END IF;
    END IF;
    RETURN v_run;
END
$$;

REVOKE ALL ON FUNCTION handfast_runs.answered_run(text) FROM PUBLIC;
