-- The claims of many requests of one process in one round trip and one commit. They must come
-- sorted by scope and key: two processes that claim the same keys then wait for each other in the
-- same order, and cannot deadlock.
CREATE OR REPLACE FUNCTION idempotency.claim_many(
    p_scopes bytea[], p_keys uuid[], p_fingerprints bytea[], p_lease interval, p_ttls interval[]
) RETURNS TABLE (
    outcome text, token bigint, taken_over boolean,
    status smallint, response bytea, encrypted boolean, expires_at timestamptz
) LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 1..cardinality(p_keys) LOOP
        SELECT c.outcome, c.token, c.taken_over, c.status, c.response, c.encrypted, c.expires_at
        INTO outcome, token, taken_over, status, response, encrypted, expires_at
        FROM idempotency.claim(p_scopes[i], p_keys[i], p_fingerprints[i], p_lease, p_ttls[i]) AS c;
        RETURN NEXT;
    END LOOP;
END
$$;
