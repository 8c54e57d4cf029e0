-- The event of a run that has just ended, in the transaction that ended it.
CREATE OR REPLACE FUNCTION handfast_runs.tell_end(p_run handfast_runs.records) RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM handfast_engine.emit(
        CASE p_run.ended WHEN 'ready' THEN 'run.ready' ELSE 'run.failed' END,
        'run:' || p_run.run_id,
        jsonb_build_object(
            'runId', p_run.run_id, 'canonicalUrl', p_run.canonical_url, 'status', p_run.ended,
            'startupId', p_run.startup_id, 'corpusVersion', p_run.corpus_version,
            'matchCount', p_run.match_count, 'errorCode', p_run.error_code,
            'errorMessage', p_run.error_message
        )
    );
END
$$;
