-- Which job waits, or waited, for which, for other schemas (see handfast_engine.known_jobs).
CREATE OR REPLACE VIEW handfast_engine.requirements AS
SELECT p.job_id, p.requires_id, p.met FROM handfast_engine.prerequisites AS p;

COMMENT ON VIEW handfast_engine.requirements IS 'what jobs wait for, for other schemas';
