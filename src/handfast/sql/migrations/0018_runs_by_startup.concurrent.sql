-- Which runs answered for a startup, the newest first.
CREATE INDEX CONCURRENTLY runs_by_startup ON runs.records (startup_id, created_at DESC)
    WHERE startup_id IS NOT NULL;
