-- Whether somebody is offered to nobody, by safety and for a while. Answers whether that was new.
CREATE OR REPLACE FUNCTION handfast_people.restrain(p_user uuid, p_restrained boolean) RETURNS boolean
LANGUAGE plpgsql
AS $$
BEGIN
    UPDATE handfast_people.users AS u
    SET restrained = p_restrained, updated_at = handfast_db.now()
    WHERE u.id = p_user AND u.restrained <> p_restrained;
    RETURN FOUND;
END
$$;
