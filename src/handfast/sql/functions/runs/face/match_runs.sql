-- One row for each match run.
CREATE OR REPLACE VIEW handfast.match_runs AS
SELECT m.run_id, m.startup_id, m.input_url, m.canonical_url, m.status, m.step, m.match_count,
       m.error_code, m.error_message, m.locked_by, m.lock_expires_at, m.created_at, m.updated_at,
       m.corpus_version
FROM handfast_runs.match_runs AS m;

COMMENT ON VIEW handfast.match_runs IS 'one row for each match run';
