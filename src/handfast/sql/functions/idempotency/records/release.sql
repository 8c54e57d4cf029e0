-- The request was not answered in a way that is kept. What was never begun leaves no trace; what
-- was begun keeps its fingerprint, and the next who asks may try again.
-- Answers 'released'; 'done' when this very claim had been answered after all (a COMMIT whose
-- outcome the connection did not live to tell); 'lost' when the claim is somebody else's now.
CREATE OR REPLACE FUNCTION handfast_idempotency.release(
    p_scope bytea, p_key uuid, p_token bigint, p_begun boolean
) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);  -- lost, it is as if we had crashed
    IF p_begun THEN
        UPDATE handfast_idempotency.records AS r SET server = NULL
        WHERE r.scope = p_scope AND r.key = p_key AND r.token = p_token
          AND r.server IS NOT NULL;
    ELSE
        DELETE FROM handfast_idempotency.records AS r
        WHERE r.scope = p_scope AND r.key = p_key AND r.token = p_token
          AND r.server IS NOT NULL;
    END IF;
    IF FOUND THEN
        RETURN 'released';
    END IF;
    PERFORM FROM handfast_idempotency.records AS r
    WHERE r.scope = p_scope AND r.key = p_key AND r.token = p_token AND r.status IS NOT NULL;
    RETURN CASE WHEN FOUND THEN 'done' ELSE 'lost' END;
END
$$;
