-- The photos of a user for a profile, the primary one first, as JSON. In plpgsql, which keeps its plan:
-- as SQL it was planned anew by every statement that calls it.
CREATE OR REPLACE FUNCTION handfast_people.photos_of(p_user uuid) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE
AS $$
BEGIN
    RETURN (
        SELECT coalesce(jsonb_agg(
            jsonb_build_object('id', p.id, 'primary', p.is_primary, 'at', p.created_at)
            ORDER BY p.is_primary DESC, p.created_at, p.id), '[]')::text
        FROM handfast_people.photos AS p
        WHERE p.user_id = p_user
    );
END
$$;
