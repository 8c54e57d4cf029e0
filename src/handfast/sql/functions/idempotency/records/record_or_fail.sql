-- Keeps the answer of the claim with this token, as the last statement before COMMIT. An error
-- means that the claim is somebody else's by now, and takes the whole transaction with it.
CREATE OR REPLACE FUNCTION handfast_idempotency.record_or_fail(
    p_scope bytea, p_key uuid, p_token bigint, p_status smallint, p_response bytea,
    p_encrypted boolean
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE handfast_idempotency.records AS r
    SET server = NULL, status = p_status, response = p_response,
        encrypted = p_encrypted
    WHERE r.scope = p_scope AND r.key = p_key AND r.token = p_token
      AND r.server IS NOT NULL;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the claim of this request is lost'
            USING ERRCODE = 'HF003', SCHEMA = 'handfast_idempotency', TABLE = 'records';
    END IF;
END
$$;
