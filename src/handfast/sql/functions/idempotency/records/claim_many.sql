-- The claims of many requests of one process in one round trip and one commit. They must come
-- sorted by scope and key: two processes that claim the same keys then wait for each other in the
-- same order, and cannot deadlock.
--
-- Nearly always all of them are new, and one statement claims them; handfast_idempotency.claim judges those
-- that are not, one by one. What is there already is not inserted: that would wait for whoever is
-- about to change or delete it, and everybody else in the batch with it. Whatever else may be locked
-- is waited for so briefly that nobody minds; then the caller asks for each by itself.
--
-- Records are looked for by their keys, also on a connection whose plan is from when there were few: until
-- PostgreSQL counts them, once a minute, it would read all of them for each batch.
--
-- p_lease: a server that has claimed something lives for so long from now, at least. Null if it has said
-- so itself just before, as a busy one has.
CREATE OR REPLACE FUNCTION handfast_idempotency.claim_many(
    p_scopes bytea[], p_keys uuid[], p_fingerprints bytea[], p_ttls interval[], p_server bigint,
    p_lease interval
) RETURNS TABLE (
    outcome text, token bigint, taken_over boolean,
    status smallint, response bytea, encrypted boolean, expires_at timestamptz,
    tag text
) LANGUAGE plpgsql
SET enable_seqscan = off SET jit = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
    v_now   timestamptz := handfast_db.now();
    v_token bigint := handfast_idempotency.new_token();
    v_made  integer;
    v_mine  boolean;
    v_lease interval := p_lease;  -- null once it is renewed
BEGIN
    PERFORM set_config('lock_timeout', '500', true);
    INSERT INTO handfast_idempotency.records
        (scope, key, fingerprint, token, first_used_at, expires_at, server)
    SELECT a.scope, a.key, a.fingerprint, v_token, v_now, v_now + a.ttl, p_server
    FROM unnest(p_scopes, p_keys, p_fingerprints, p_ttls) AS a(scope, key, fingerprint, ttl)
    WHERE NOT EXISTS (
        SELECT 1 FROM handfast_idempotency.records AS r WHERE r.scope = a.scope AND r.key = a.key
    )
    ON CONFLICT (scope, key) DO NOTHING;
    GET DIAGNOSTICS v_made = ROW_COUNT;
    IF v_made > 0 THEN
        PERFORM set_config('synchronous_commit', 'off', true);
        -- Before anything is judged: the same key may be in here twice.
        IF v_lease IS NOT NULL THEN
            PERFORM handfast_idempotency.renew(ARRAY[p_server], v_lease);
            v_lease := NULL;
        END IF;
    END IF;

    IF v_made = cardinality(p_keys) THEN
        RETURN QUERY
        SELECT 'execute', v_token, false, NULL::smallint, NULL::bytea, NULL::boolean, v_now + a.ttl,
               NULL::text
        FROM unnest(p_ttls) AS a(ttl);
        RETURN;
    END IF;

    FOR i IN 1..cardinality(p_keys) LOOP
        -- A row that this transaction has made, unless the same key came before in this batch:
        -- sorted, so just before.
        v_mine := EXISTS (
            SELECT 1 FROM handfast_idempotency.records AS r
            WHERE r.scope = p_scopes[i] AND r.key = p_keys[i] AND r.xmin = pg_current_xact_id()::xid
        ) AND NOT (i > 1 AND p_scopes[i] = p_scopes[i - 1] AND p_keys[i] = p_keys[i - 1]);
        IF v_mine THEN
            outcome := 'execute';
            token := v_token;
            taken_over := false;
            status := NULL;
            response := NULL;
            encrypted := NULL;
            expires_at := v_now + p_ttls[i];
            tag := NULL;
        ELSE
            SELECT c.outcome, c.token, c.taken_over, c.status, c.response, c.encrypted, c.expires_at,
                   c.tag
            INTO outcome, token, taken_over, status, response, encrypted, expires_at, tag
            FROM handfast_idempotency.claim(p_scopes[i], p_keys[i], p_fingerprints[i], p_ttls[i], p_server)
                AS c;
            IF outcome = 'execute' AND v_lease IS NOT NULL THEN
                PERFORM handfast_idempotency.renew(ARRAY[p_server], v_lease);
                v_lease := NULL;
            END IF;
        END IF;
        RETURN NEXT;
    END LOOP;
END
$$;
