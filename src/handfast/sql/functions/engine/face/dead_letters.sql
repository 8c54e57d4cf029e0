-- Dead letters that nobody has requeued or discarded.
CREATE OR REPLACE VIEW handfast.dead_letters AS
SELECT d.job_id AS id, d.kind, d.key, d.lane, d.died_at, d.attempt AS attempts, d.error_class, d.error,
       d.job -> 'payload' AS payload
FROM handfast_engine.dead AS d
WHERE d.discarded_at IS NULL;

COMMENT ON VIEW handfast.dead_letters IS 'one row for each dead letter that waits for somebody';
