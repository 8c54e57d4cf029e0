-- Readers go over to another version, all of them at the moment this commits. Switches wait for
-- each other; readers wait for nothing.
--   p_force  also to a version that was refused
--   p_over   only if this version is still the current one (0: only if there is none)
-- outcome: switched, already, moved (p_over is not the current one), missing, or the state that
-- the version cannot be switched to from. was: the version that is, or was, current.
CREATE OR REPLACE FUNCTION handfast_runs.switch_corpus(
    p_version integer, p_force boolean DEFAULT false, p_over integer DEFAULT NULL,
    OUT outcome text, OUT was integer
) LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_state handfast_runs.corpus_state;
    v_now   timestamptz := handfast_db.now();
BEGIN
    LOCK TABLE handfast_runs.corpus_versions IN SHARE ROW EXCLUSIVE MODE;
    SELECT v.version INTO was FROM handfast_runs.corpus_versions AS v WHERE v.state = 'current';
    SELECT v.state INTO v_state FROM handfast_runs.corpus_versions AS v WHERE v.version = p_version;
    IF v_state IS NULL THEN
        outcome := 'missing';
    ELSIF v_state = 'current' THEN
        outcome := 'already';
    ELSIF p_over IS DISTINCT FROM NULL AND p_over <> coalesce(was, 0) THEN
        outcome := 'moved';
    ELSIF v_state IN ('built', 'previous') OR (v_state = 'refused' AND p_force) THEN
        UPDATE handfast_runs.corpus_versions AS v SET state = 'previous', left_at = v_now
        WHERE v.version = was;
        UPDATE handfast_runs.corpus_versions AS v SET state = 'current', switched_at = v_now, left_at = NULL
        WHERE v.version = p_version;
        PERFORM handfast_engine.emit('corpus.switched', 'corpus', jsonb_build_object(
            'version', p_version, 'was', was, 'forced', p_force
        ));
        outcome := 'switched';
    ELSE
        outcome := v_state::text;
    END IF;
END
$$;
REVOKE ALL ON FUNCTION handfast_runs.switch_corpus(integer, boolean, integer) FROM PUBLIC;
