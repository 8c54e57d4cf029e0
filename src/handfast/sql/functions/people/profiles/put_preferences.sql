-- Upsert the preferences of a user, remove those whose value is null, and answer how many there
-- are then. One after the other for each user (the row in users is locked), so that the count is
-- true; in the order of their names.
CREATE OR REPLACE FUNCTION handfast_people.put_preferences(
    p_user uuid, p_names text[], p_values text[]
) RETURNS integer
LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM 1 FROM handfast_people.users AS u WHERE u.id = p_user FOR NO KEY UPDATE;

    DELETE FROM handfast_people.user_preferences AS p
    USING unnest(p_names, p_values) AS given (name, value)
    WHERE p.user_id = p_user AND p.preference = given.name AND given.value IS NULL;

    INSERT INTO handfast_people.user_preferences AS p (user_id, preference, value, updated_at)
    SELECT p_user, given.name, given.value::json, handfast_db.now()
    FROM unnest(p_names, p_values) AS given (name, value)
    WHERE given.value IS NOT NULL
    ON CONFLICT (user_id, preference)
    DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at;

    RETURN (SELECT count(*) FROM handfast_people.user_preferences AS p WHERE p.user_id = p_user);
END
$$;
