-- For workers in other languages: up to max_jobs ready jobs, each with a new token, in any order.
-- Without a worker the claim is good for the lease; a registered worker's heartbeat keeps what it holds.
CREATE OR REPLACE FUNCTION handfast.claim(
    lanes    text[] DEFAULT '{default}',
    max_jobs integer DEFAULT 1,
    lease    interval DEFAULT '5 minutes',
    kinds    text[] DEFAULT NULL,
    versions integer[] DEFAULT NULL,
    worker   bigint DEFAULT NULL
) RETURNS TABLE (
    id bigint, token bigint, attempt integer, failures integer, kind text, key text, payload jsonb,
    version integer, due_at timestamptz, started_at timestamptz, lane text, priority integer
)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN QUERY
    SELECT c.id, c.token, c.attempt, c.failures, c.kind, c.key, c.payload, c.version::integer,
           c.due_at, c.started_at, c.lane, c.priority::integer
    FROM handfast_engine.claim(
        claim.worker, claim.lanes, coalesce(claim.max_jobs, 1),
        CASE WHEN claim.worker IS NULL THEN claim.lease END, NULL, claim.kinds,
        claim.versions::smallint[]
    ) AS c;
END
$$;
