-- What a verdict means for the user. The caller holds the lock on the user.
CREATE OR REPLACE FUNCTION handfast_people.take_verdict(p_user uuid, p_status text) RETURNS void
LANGUAGE sql
AS $$
    UPDATE handfast_people.users AS u
    SET verified_at = CASE WHEN p_status = 'verified' THEN handfast_db.now() ELSE u.verified_at END,
        verification_failures = u.verification_failures
            + CASE WHEN p_status = 'failed' THEN 1 ELSE 0 END,
        in_review = p_status = 'manual_review',
        updated_at = handfast_db.now()
    WHERE u.id = p_user
$$;
