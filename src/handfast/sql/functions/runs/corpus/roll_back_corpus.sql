-- Readers go back to the version that they were switched away from last. The one they leave counts
-- as refused from now on, so that rolling back once more goes further back and not forth again.
-- version is null when there is nothing to go back to; was: the version that is, or was, current.
CREATE OR REPLACE FUNCTION handfast_runs.roll_back_corpus(p_reason text, OUT version integer, OUT was integer)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    LOCK TABLE handfast_runs.corpus_versions IN SHARE ROW EXCLUSIVE MODE;
    SELECT v.version INTO was FROM handfast_runs.corpus_versions AS v WHERE v.state = 'current';
    SELECT v.version INTO version FROM handfast_runs.corpus_versions AS v
    WHERE v.state = 'previous' ORDER BY v.left_at DESC, v.version DESC LIMIT 1;
    IF version IS NULL OR was IS NULL THEN
        version := NULL;
        RETURN;
    END IF;
    PERFORM handfast_runs.switch_corpus(roll_back_corpus.version);
    UPDATE handfast_runs.corpus_versions AS v
    SET state = 'refused',
        verdict = coalesce(v.verdict, '{}') || jsonb_build_object('rolledBack', p_reason)
    WHERE v.version = was;
END
$$;
REVOKE ALL ON FUNCTION handfast_runs.roll_back_corpus(text) FROM PUBLIC;
