-- Where anchors are, for other schemas (see handfast_engine.known_jobs).
CREATE OR REPLACE VIEW handfast_engine.placed_anchors AS
SELECT a.name, a.at, a.cancelled FROM handfast_engine.anchors AS a;

COMMENT ON VIEW handfast_engine.placed_anchors IS 'anchors, for other schemas';
