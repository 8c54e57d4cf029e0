-- The investors of the current version of the corpus (see handfast.startup_uploads).
CREATE OR REPLACE VIEW handfast.investors AS
SELECT i.investor_id, i.name, i.url, i.stages, i.countries, i.sectors, i.cheque_min, i.cheque_max,
       i.thesis, i.deals, i.version
FROM handfast_runs.investors AS i
WHERE i.version = (SELECT c.version FROM handfast_runs.corpus_versions AS c WHERE c.state = 'current');

COMMENT ON VIEW handfast.investors IS 'the investors of the current corpus';
