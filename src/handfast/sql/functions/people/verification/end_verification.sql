-- The provider's word on a session, if it is still open: 1, else 0 and nothing is changed. Locks
-- the user, then the session.
CREATE OR REPLACE FUNCTION handfast_people.end_verification(
    p_user uuid, p_session uuid, p_status text, p_reason text
) RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
    v_now timestamptz := handfast_db.now();
BEGIN
    PERFORM 1 FROM handfast_people.users AS u WHERE u.id = p_user FOR NO KEY UPDATE;
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
