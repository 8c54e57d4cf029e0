-- Claims whose handlers live: all of a process at once. Answers those that are still its own.
CREATE OR REPLACE FUNCTION handfast_idempotency.renew(
    p_scopes bytea[], p_keys uuid[], p_tokens bigint[], p_lease interval
) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);  -- lost, the lease merely ends sooner
    RETURN QUERY
    WITH held AS MATERIALIZED (
        SELECT r.scope, r.key, r.token
        FROM unnest(p_scopes, p_keys, p_tokens) AS h (scope, key, token)
        JOIN handfast_idempotency.records AS r USING (scope, key, token)
        WHERE r.lease_until IS NOT NULL
        ORDER BY r.scope, r.key
        FOR UPDATE OF r SKIP LOCKED  -- whoever has it is just being answered
    )
    UPDATE handfast_idempotency.records AS r SET lease_until = handfast_db.now() + p_lease
    FROM held WHERE r.scope = held.scope AND r.key = held.key
    RETURNING r.token;
END
$$;
