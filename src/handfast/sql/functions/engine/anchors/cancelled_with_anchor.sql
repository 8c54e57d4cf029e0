-- Jobs that come back when their anchor does, for other schemas (see handfast_engine.known_jobs).
CREATE OR REPLACE VIEW handfast_engine.cancelled_with_anchor AS
SELECT e.anchor, e.job_id FROM handfast_engine.anchored_ends AS e;

COMMENT ON VIEW handfast_engine.cancelled_with_anchor IS 'what reinstating an anchor brings back, for other schemas';
