-- A photo more. The caller holds the lock on the user. The first one is primary; a new primary one
-- takes the place of the one before.
CREATE OR REPLACE FUNCTION handfast_people.add_photo(
    p_id uuid, p_user uuid, p_width integer, p_height integer, p_bytes integer, p_digest bytea,
    p_primary boolean, OUT is_primary boolean, OUT created_at timestamptz
)
LANGUAGE plpgsql
AS $$
BEGIN
    is_primary := p_primary OR NOT EXISTS (
        SELECT 1 FROM handfast_people.photos AS p WHERE p.user_id = p_user AND p.is_primary);
    created_at := handfast_db.now();
    IF is_primary THEN
        UPDATE handfast_people.photos AS p SET is_primary = false
        WHERE p.user_id = p_user AND p.is_primary;
    END IF;
    INSERT INTO handfast_people.photos
        (id, user_id, created_at, width, height, bytes, is_primary, digest)
    VALUES (p_id, p_user, add_photo.created_at, p_width, p_height, p_bytes, add_photo.is_primary,
            p_digest);
END
$$;
