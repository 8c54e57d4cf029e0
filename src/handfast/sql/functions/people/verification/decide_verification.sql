-- An operator's word on the session of a user that waits for one: how many there were, 0 or 1.
CREATE OR REPLACE FUNCTION handfast_people.decide_verification(
    p_user uuid, p_status text, p_reason text
) RETURNS integer
LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM 1 FROM handfast_people.users AS u WHERE u.id = p_user FOR NO KEY UPDATE;
    UPDATE handfast_people.verification_sessions AS s
    SET status = p_status, ended_at = handfast_db.now(), failure_reason = p_reason
    WHERE s.user_id = p_user AND s.status = 'manual_review';
    IF NOT FOUND THEN
        RETURN 0;
    END IF;
    PERFORM handfast_people.take_verdict(p_user, p_status);
    RETURN 1;
END
$$;
