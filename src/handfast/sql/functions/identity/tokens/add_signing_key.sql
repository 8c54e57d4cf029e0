-- Store a new signing key, unless one that is young enough is there already; True if it was stored.
--
-- One at a time, under an advisory lock: of many processes that find the key too old, one makes the
-- next. The first key of all signs at once. Those after it are published for p_lead before they sign,
-- so that whoever caches the key set knows them; the one before goes on verifying for p_overlap more.
-- p_max_age null: whatever there is. p_revoke: at once, and nothing that was signed before is good.
CREATE OR REPLACE FUNCTION handfast_identity.add_signing_key(
    p_kid text, p_public bytea, p_private bytea, p_max_age interval, p_lead interval, p_overlap interval,
    p_revoke boolean
) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    v_now    timestamptz := handfast_db.now();
    v_newest timestamptz;
    v_from   timestamptz;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('handfast_identity.signing_keys', 0));
    SELECT max(k.signs_from) INTO v_newest FROM handfast_identity.signing_keys AS k
    WHERE k.verifies_until IS NULL;
    IF v_newest > v_now - p_max_age THEN
        RETURN false;
    END IF;
    v_from := CASE WHEN v_newest IS NULL OR p_revoke THEN v_now ELSE v_now + p_lead END;
    UPDATE handfast_identity.signing_keys AS k
    SET verifies_until = CASE WHEN p_revoke THEN v_now ELSE v_from + p_overlap END,
        private_key = CASE WHEN p_revoke THEN NULL ELSE k.private_key END
    WHERE k.verifies_until IS NULL OR (p_revoke AND k.verifies_until > v_now);
    INSERT INTO handfast_identity.signing_keys (kid, created_at, signs_from, public_key, private_key)
    VALUES (p_kid, v_now, v_from, p_public, p_private);
    RETURN true;
END
$$;
