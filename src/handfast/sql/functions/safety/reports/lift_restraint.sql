-- End the pause of somebody about whom no report is open any more. Answers whether there was one.
CREATE OR REPLACE FUNCTION handfast_safety.lift_restraint(p_user uuid) RETURNS boolean
LANGUAGE plpgsql
AS $$
BEGIN
    UPDATE handfast_safety.restraints AS r SET lifted_at = handfast_db.now()
    WHERE r.user_id = p_user AND r.lifted_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM handfast_people.reports AS p
                      WHERE p.user_id = p_user AND p.status = 'open');
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    PERFORM handfast_people.restrain(p_user, false);
    RETURN true;
END
$$;
