-- Whether a block or a report stands between two people, either way.
CREATE OR REPLACE FUNCTION handfast_offers.apart(p_one uuid, p_other uuid) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
AS $$
    SELECT EXISTS (SELECT 1 FROM handfast_people.blocks AS b
                   WHERE (b.user_id = p_one AND b.blocked_id = p_other)
                      OR (b.user_id = p_other AND b.blocked_id = p_one))
        OR EXISTS (SELECT 1 FROM handfast_people.reports AS r
                   WHERE (r.reporter_id = p_one AND r.user_id = p_other)
                      OR (r.reporter_id = p_other AND r.user_id = p_one))
$$;
