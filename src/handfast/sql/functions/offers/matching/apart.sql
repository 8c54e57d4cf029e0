-- Whether a block or a report stands between two people, either way. In plpgsql, which keeps its plan: as
-- SQL it was planned anew by every statement that calls it. Each is a look into an index of its own.
CREATE OR REPLACE FUNCTION handfast_offers.apart(p_one uuid, p_other uuid) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE
AS $$
BEGIN
    RETURN EXISTS (SELECT 1 FROM handfast_people.blocks AS b
                   WHERE b.user_id = p_one AND b.blocked_id = p_other)
        OR EXISTS (SELECT 1 FROM handfast_people.blocks AS b
                   WHERE b.user_id = p_other AND b.blocked_id = p_one)
        OR EXISTS (SELECT 1 FROM handfast_people.reports AS r
                   WHERE r.reporter_id = p_one AND r.user_id = p_other)
        OR EXISTS (SELECT 1 FROM handfast_people.reports AS r
                   WHERE r.reporter_id = p_other AND r.user_id = p_one);
END
$$;
