-- May this request be carried out, and by whom? One round trip, one short commit.
--
--   execute     by the caller, who holds the token; taken_over when somebody died
--   replay      it was answered: status, response, encrypted, tag; a response that is null was not
--               kept, or dropped with its tag
--   in_flight   somebody else is at it
--   conflict    the key was used for another request
--
-- The commit of a claim is not waited for. A claim that a crash of the server swallows has no
-- consequence that survived: whatever its request commits comes later in the same log, and a
-- durable commit makes everything before it durable. See decision 18.
CREATE OR REPLACE FUNCTION handfast_idempotency.claim(
    p_scope bytea, p_key uuid, p_fingerprint bytea, p_ttl interval, p_server bigint,
    OUT outcome text, OUT token bigint, OUT taken_over boolean,
    OUT status smallint, OUT response bytea, OUT encrypted boolean, OUT expires_at timestamptz,
    OUT tag text
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    v_now     timestamptz := handfast_db.now();
    v_token   bigint := handfast_idempotency.new_token();
    v_record  handfast_idempotency.records;
BEGIN
    taken_over := false;
    FOR attempt IN 1..5 LOOP
        -- Looked for first: inserting waits for whoever is about to change or delete the record,
        -- and that may be a long transaction.
        SELECT * INTO v_record FROM handfast_idempotency.records AS r
        WHERE r.scope = p_scope AND r.key = p_key;
        IF NOT FOUND THEN
            INSERT INTO handfast_idempotency.records AS r
                (scope, key, fingerprint, token, first_used_at, expires_at, server)
            VALUES
                (p_scope, p_key, p_fingerprint, v_token, v_now, v_now + p_ttl, p_server)
            ON CONFLICT (scope, key) DO NOTHING;
            CONTINUE WHEN NOT FOUND;  -- somebody has just made it
            outcome := 'execute';
            token := v_token;
            expires_at := v_now + p_ttl;
            PERFORM set_config('synchronous_commit', 'off', true);
            RETURN;
        END IF;

        IF v_record.expires_at > v_now AND v_record.fingerprint <> p_fingerprint THEN
            outcome := 'conflict';
            RETURN;
        ELSIF v_record.server IS NOT NULL AND EXISTS (
            SELECT 1 FROM handfast_idempotency.servers AS s
            WHERE s.id = v_record.server AND s.alive_until > v_now
        ) THEN
            -- Also past its expiry: an expired key does not let a second one in beside the first.
            outcome := CASE WHEN v_record.fingerprint = p_fingerprint
                            THEN 'in_flight' ELSE 'conflict' END;
            RETURN;
        ELSIF v_record.expires_at > v_now AND v_record.status IS NOT NULL THEN
            outcome := 'replay';
            status := v_record.status;
            response := v_record.response;
            encrypted := v_record.encrypted;
            tag := v_record.tag;
            expires_at := v_record.expires_at;
            RETURN;
        END IF;

        -- Left behind, given back or expired. Whoever holds the row is about to change it: no
        -- waiting here, a waiter must not sit on a connection.
        PERFORM FROM handfast_idempotency.records AS r
        WHERE r.scope = p_scope AND r.key = p_key AND r.token = v_record.token
          AND r.status IS NOT DISTINCT FROM v_record.status
          AND r.server IS NOT DISTINCT FROM v_record.server
        FOR UPDATE SKIP LOCKED;
        IF NOT FOUND THEN
            outcome := 'in_flight';
            RETURN;
        END IF;
        token := greatest(v_record.token + 1, v_token);
        IF v_record.expires_at > v_now THEN
            taken_over := v_record.server IS NOT NULL;
            expires_at := v_record.expires_at;
            UPDATE handfast_idempotency.records AS r
            SET token = claim.token, server = p_server
            WHERE r.scope = p_scope AND r.key = p_key;
        ELSE
            expires_at := v_now + p_ttl;
            UPDATE handfast_idempotency.records AS r
            SET token = claim.token, server = p_server,
                fingerprint = p_fingerprint, first_used_at = v_now, expires_at = v_now + p_ttl,
                status = NULL, response = NULL, encrypted = false, tag = NULL
            WHERE r.scope = p_scope AND r.key = p_key;
        END IF;
        outcome := 'execute';
        PERFORM set_config('synchronous_commit', 'off', true);
        RETURN;
    END LOOP;
    outcome := 'in_flight';
END
$$;
