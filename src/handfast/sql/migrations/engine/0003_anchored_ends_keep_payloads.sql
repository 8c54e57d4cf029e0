-- What waits for its anchor to be reinstated may wait for longer than the history is kept, which had
-- its payload. Null only for what was cancelled before this.
ALTER TABLE handfast_engine.anchored_ends ADD COLUMN payload handfast_engine.payload_object;

-- By the job: handfast_engine.replan and handfast_engine.forget_identities look them up so.
CREATE INDEX anchored_ends_job ON handfast_engine.anchored_ends (job_id);
