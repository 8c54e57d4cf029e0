-- How many photos a user has, in a snapshot of its own: whoever has waited for the user's lock
-- sees what was committed meanwhile.
CREATE OR REPLACE FUNCTION handfast_people.count_photos(p_user uuid) RETURNS bigint
LANGUAGE sql VOLATILE
AS $$
    SELECT count(*) FROM handfast_people.photos AS p WHERE p.user_id = p_user
$$;
