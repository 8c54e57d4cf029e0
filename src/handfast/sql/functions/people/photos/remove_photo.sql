-- Forget a photo of this user; null if they have no such one. If it was the primary one, the oldest
-- of the others is from now on. Locks the user first, as adding does.
CREATE OR REPLACE FUNCTION handfast_people.remove_photo(p_user uuid, p_photo uuid) RETURNS uuid
LANGUAGE plpgsql
AS $$
DECLARE
    v_primary boolean;
BEGIN
    PERFORM 1 FROM handfast_people.users AS u WHERE u.id = p_user FOR NO KEY UPDATE;
    DELETE FROM handfast_people.photos AS p
    WHERE p.id = p_photo AND p.user_id = p_user
    RETURNING p.is_primary INTO v_primary;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    IF v_primary THEN
        UPDATE handfast_people.photos AS p SET is_primary = true
        WHERE p.id = (
            SELECT o.id FROM handfast_people.photos AS o
            WHERE o.user_id = p_user ORDER BY o.created_at, o.id LIMIT 1);
    END IF;
    RETURN p_photo;
END
$$;
