-- Events, for other schemas (see handfast_engine.known_jobs).
CREATE OR REPLACE VIEW handfast_engine.emitted_events AS
SELECT e.id, e.at, e.sequence, e.type, e.aggregate::text AS aggregate,
       e.data::jsonb AS data
FROM handfast_engine.events AS e;

COMMENT ON VIEW handfast_engine.emitted_events IS 'events, for other schemas';
