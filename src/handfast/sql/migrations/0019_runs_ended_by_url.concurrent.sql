-- The newest answer to an address: a ready run, or one that found no such company. In the place of
-- runs_ready_by_url, which knew only the first.
CREATE INDEX CONCURRENTLY runs_ended_by_url ON runs.records (canonical_url, ended_at DESC)
    WHERE ended IS NOT NULL;
