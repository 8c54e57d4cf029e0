-- The claims of many requests of one process in one round trip and one commit. They must come
-- sorted by scope and key: two processes that claim the same keys then wait for each other in the
-- same order, and cannot deadlock.
--
-- Nearly all keys are new, and those are claimed by one statement; idempotency.claim judges the
-- others one by one.
CREATE OR REPLACE FUNCTION idempotency.claim_many(
    p_scopes bytea[], p_keys uuid[], p_fingerprints bytea[], p_lease interval, p_ttls interval[]
) RETURNS TABLE (
    outcome text, token bigint, taken_over boolean,
    status smallint, response bytea, encrypted boolean, expires_at timestamptz
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    v_now   timestamptz := db.now();
    v_token bigint := idempotency.new_token();
    v_new   bytea[];
    v_one   bytea;
BEGIN
    WITH made AS (
        INSERT INTO idempotency.records AS r
            (scope, key, fingerprint, token, first_used_at, expires_at, lease_until)
        SELECT a.scope, a.key, a.fingerprint, v_token, v_now, v_now + a.ttl, v_now + p_lease
        FROM unnest(p_scopes, p_keys, p_fingerprints, p_ttls) WITH ORDINALITY
            AS a(scope, key, fingerprint, ttl, place)
        ORDER BY a.place
        ON CONFLICT (scope, key) DO NOTHING
        RETURNING r.scope || uuid_send(r.key) AS one
    )
    SELECT array_agg(m.one) INTO v_new FROM made AS m;
    IF v_new IS NOT NULL THEN
        PERFORM set_config('synchronous_commit', 'off', true);
    END IF;

    FOR i IN 1..cardinality(p_keys) LOOP
        v_one := p_scopes[i] || uuid_send(p_keys[i]);
        IF v_one = ANY (v_new) THEN
            v_new := array_remove(v_new, v_one);  -- the same key once more in this batch comes after
            outcome := 'execute';
            token := v_token;
            taken_over := false;
            status := NULL;
            response := NULL;
            encrypted := NULL;
            expires_at := v_now + p_ttls[i];
        ELSE
            SELECT c.outcome, c.token, c.taken_over, c.status, c.response, c.encrypted, c.expires_at
            INTO outcome, token, taken_over, status, response, encrypted, expires_at
            FROM idempotency.claim(p_scopes[i], p_keys[i], p_fingerprints[i], p_lease, p_ttls[i])
                AS c;
        END IF;
        RETURN NEXT;
    END LOOP;
END
$$;
