-- The scored pairs of the current version of the corpus (see handfast.startup_uploads).
CREATE OR REPLACE VIEW handfast.startup_investor_matches AS
SELECT m.startup_id, m.investor_id, m.score, m.sector, m.stage, m.geography, m.cheque, m.thesis,
       m.activity, m.deals, m.version
FROM handfast_runs.startup_investor_matches AS m
WHERE m.version = (SELECT c.version FROM handfast_runs.corpus_versions AS c WHERE c.state = 'current');

COMMENT ON VIEW handfast.startup_investor_matches IS 'the scored pairs of the current corpus';
