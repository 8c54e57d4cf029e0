-- Raises, and says which, if one of these is larger than a payload may be.
CREATE OR REPLACE FUNCTION handfast_engine.refuse_payloads(p_kind text, p_keys text[], p_payloads jsonb[])
RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_key   text;
    v_bytes integer;
BEGIN
    SELECT n.key, octet_length(n.payload::text) INTO v_key, v_bytes
    FROM unnest(p_keys, p_payloads) AS n(key, payload)
    WHERE octet_length(n.payload::text) > 393216 LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'the payload of % % has % bytes; a payload has at most 256 KiB of JSON',
            p_kind, v_key, v_bytes
            USING ERRCODE = 'check_violation', CONSTRAINT = 'live_payload_size',
                  HINT = 'Store the data and pass its id.';
    END IF;
END
$$;
