-- Who a job is and how it ended, for other schemas: they read views, so that the tables are the engine's
-- to change. A plain one, which the planner looks straight through.
CREATE OR REPLACE VIEW handfast_engine.known_jobs AS
SELECT j.id, j.kind, j.key, j.state, j.token, j.enqueued_at, j.finished_at
FROM handfast_engine.jobs AS j;

COMMENT ON VIEW handfast_engine.known_jobs IS 'identities, for other schemas; state is null while a job is live';
