-- The provider's word on a session, if it is still open: 1, else 0 and nothing is changed. Locks
-- the user, then the session. Nobody passes with another birth date than the one that was looked
-- at; a failure counts whatever was changed meanwhile, or it could be dodged.
CREATE OR REPLACE FUNCTION handfast_people.end_verification(
    p_user uuid, p_session uuid, p_status text, p_reason text, p_birth_date date
) RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
    v_now timestamptz := handfast_db.now();
    v_birth_date date;
BEGIN
    SELECT u.birth_date INTO v_birth_date
    FROM handfast_people.users AS u WHERE u.id = p_user FOR NO KEY UPDATE;
    IF p_status <> 'failed' AND v_birth_date IS DISTINCT FROM p_birth_date THEN
        RETURN 0;
    END IF;
    UPDATE handfast_people.verification_sessions AS s
    SET status = p_status, ended_at = v_now, failure_reason = p_reason
    WHERE s.id = p_session AND s.user_id = p_user AND s.status = 'open' AND s.expires_at > v_now;
    IF NOT FOUND THEN
        RETURN 0;
    END IF;
    PERFORM handfast_people.take_verdict(p_user, p_status);
    RETURN 1;
END
$$;
