-- The startups of the current version of the corpus. As a subquery, so that the other versions are not
-- even opened.
CREATE OR REPLACE VIEW handfast.startup_uploads AS
SELECT s.startup_id, s.name, s.url, s.canonical_url, s.stage, s.country, s.raising, s.sectors, s.pitch,
       s.version
FROM handfast_runs.startup_uploads AS s
WHERE s.version = (SELECT c.version FROM handfast_runs.corpus_versions AS c WHERE c.state = 'current');

COMMENT ON VIEW handfast.startup_uploads IS 'the startups of the current corpus';
