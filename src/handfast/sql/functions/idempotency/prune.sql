-- Expired records, a batch at a time; answers how many went. A request that still runs keeps its
-- record, however old.
CREATE OR REPLACE FUNCTION idempotency.prune(p_limit integer) RETURNS integer LANGUAGE sql AS $$
    WITH old AS MATERIALIZED (
        SELECT r.scope, r.key FROM idempotency.records AS r
        WHERE r.expires_at <= db.now() AND (r.lease_until IS NULL OR r.lease_until <= db.now())
        ORDER BY r.expires_at
        LIMIT p_limit
        FOR UPDATE SKIP LOCKED
    ), gone AS (
        DELETE FROM idempotency.records AS r USING old
        WHERE r.scope = old.scope AND r.key = old.key
        RETURNING 1
    )
    SELECT count(*)::integer FROM gone
$$;
