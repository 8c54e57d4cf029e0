-- Writes down what the guardian found. A version that it refuses is kept aside: no switch goes
-- there without force. The version that is current stays current, whatever a later look finds.
-- False when there is no such version with rows to judge.
CREATE OR REPLACE FUNCTION handfast_runs.judge_corpus(p_version integer, p_passed boolean, p_verdict jsonb)
RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_state handfast_runs.corpus_state;
BEGIN
    -- As switch_corpus does, which follows in the same transaction: two that had both written here
    -- first would wait for each other there.
    LOCK TABLE handfast_runs.corpus_versions IN SHARE ROW EXCLUSIVE MODE;
    UPDATE handfast_runs.corpus_versions AS v
    SET verdict = p_verdict,
        state = CASE WHEN v.state IN ('current', 'previous') THEN v.state
                     WHEN p_passed THEN 'built' ELSE 'refused' END::handfast_runs.corpus_state
    WHERE v.version = p_version AND v.state NOT IN ('building', 'retired')
    RETURNING v.state INTO v_state;
    IF v_state = 'refused' THEN
        PERFORM handfast_engine.emit('corpus.refused', 'corpus', jsonb_build_object(
            'version', p_version, 'verdict', p_verdict
        ));
    END IF;
    RETURN v_state IS NOT NULL;
END
$$;
REVOKE ALL ON FUNCTION handfast_runs.judge_corpus(integer, boolean, jsonb) FROM PUBLIC;
