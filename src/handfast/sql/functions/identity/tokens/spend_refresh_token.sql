-- Spend a refresh token for its one successor, or say why not: one atomic claim (ruling R23).
--
-- Locks: the account, then the sign-in, as everybody takes them who takes both. So everybody who comes
-- with a token of the family waits here. Then, by what the token is:
--
--   spent     it was unspent: the successor that was handed in is stored
--   again     it was spent within the grace, by the same device: the successor of then
--   reused    it was spent before, or comes from another device: theft, and the family is ended
--   revoked, expired, unknown
--
-- A device that was named at sign-in must be named again to have the grace; where none was, only the
-- address that spent the token has it.
--
-- Device and address come as hashes under each of the secrets, the newest first: what was stored under
-- an older one is recognised, and a device is written anew, so that the older secret can go.
CREATE OR REPLACE FUNCTION handfast_identity.spend_refresh_token(
    p_hash bytea, p_new_hash bytea, p_successor bytea, p_devices bytea[], p_addresses bytea[],
    p_grace interval, p_idle interval,
    OUT outcome text, OUT sign_in_id uuid, OUT account_id uuid, OUT successor bytea, OUT at timestamptz
) RETURNS record
LANGUAGE plpgsql AS $$
DECLARE
    v_token   handfast_identity.refresh_tokens;
    v_sign_in handfast_identity.sign_ins;
    v_same    boolean;
BEGIN
    at := handfast_db.now();
    SELECT s.id, s.account_id INTO sign_in_id, account_id
    FROM handfast_identity.refresh_tokens AS t
    JOIN handfast_identity.sign_ins AS s ON s.id = t.sign_in_id
    WHERE t.hash = p_hash;
    PERFORM FROM handfast_identity.accounts AS a WHERE a.id = account_id FOR NO KEY UPDATE;
    SELECT * INTO v_sign_in
    FROM handfast_identity.sign_ins AS s WHERE s.id = sign_in_id FOR UPDATE;
    SELECT * INTO v_token
    FROM handfast_identity.refresh_tokens AS t WHERE t.hash = p_hash;
    IF v_token.hash IS NULL THEN
        outcome := 'unknown';
        RETURN;
    END IF;
    IF v_sign_in.ended_at IS NOT NULL THEN
        outcome := 'revoked';
        RETURN;
    END IF;
    IF v_sign_in.idle_until <= at OR v_sign_in.expires_at <= at THEN
        outcome := 'expired';
        RETURN;
    END IF;

    IF v_token.spent_at IS NULL THEN
        v_same := v_sign_in.device_hash IS NULL OR p_devices IS NULL
            OR v_sign_in.device_hash = ANY(p_devices);
    ELSIF v_sign_in.device_hash IS NOT NULL THEN
        v_same := coalesce(v_sign_in.device_hash = ANY(p_devices), false);
    ELSE
        v_same := coalesce(v_token.spent_address = ANY(p_addresses), false);
    END IF;
    IF NOT v_same OR v_token.spent_at <= at - p_grace THEN
        outcome := 'reused';
        UPDATE handfast_identity.sign_ins AS s SET ended_at = at, ended_by = 'theft'
        WHERE s.id = v_sign_in.id;
        RETURN;
    END IF;

    IF v_token.spent_at IS NOT NULL THEN
        outcome := 'again';
        successor := v_token.successor;
    ELSE
        outcome := 'spent';
        successor := p_successor;
        UPDATE handfast_identity.refresh_tokens AS t
        SET spent_at = at, spent_address = p_addresses[1], successor = p_successor
        WHERE t.hash = p_hash;
        INSERT INTO handfast_identity.refresh_tokens (hash, sign_in_id, created_at)
        VALUES (p_new_hash, v_sign_in.id, at);
        UPDATE handfast_identity.accounts AS a SET last_active_at = greatest(a.last_active_at, at)
        WHERE a.id = account_id;
    END IF;
    UPDATE handfast_identity.sign_ins AS s
    SET last_used_at = at, idle_until = at + p_idle,
        device_hash = CASE WHEN s.device_hash IS NOT NULL THEN coalesce(p_devices[1], s.device_hash) END
    WHERE s.id = v_sign_in.id;
END
$$;
