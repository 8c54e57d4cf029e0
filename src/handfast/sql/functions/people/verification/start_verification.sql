-- The user's open session if it began lately, else a new one, and the one before is over. The
-- caller holds the lock on the user.
CREATE OR REPLACE FUNCTION handfast_people.start_verification(
    p_id uuid, p_user uuid, p_consent text, p_provider text, p_lifetime interval, p_same_for interval
) RETURNS handfast_people.verification_sessions
LANGUAGE plpgsql
AS $$
DECLARE
    v_session handfast_people.verification_sessions;
    v_now timestamptz := handfast_db.now();
BEGIN
    SELECT * INTO v_session FROM handfast_people.verification_sessions AS s
    WHERE s.user_id = p_user AND s.status = 'open' AND s.created_at > v_now - p_same_for;
    IF FOUND THEN
        RETURN v_session;
    END IF;

    UPDATE handfast_people.verification_sessions AS s SET status = 'expired', ended_at = v_now
    WHERE s.user_id = p_user AND s.status = 'open';

    INSERT INTO handfast_people.verification_sessions
        (id, user_id, created_at, expires_at, consent_version, provider)
    VALUES (p_id, p_user, v_now, v_now + p_lifetime, p_consent, p_provider)
    RETURNING * INTO v_session;
    RETURN v_session;
END
$$;
