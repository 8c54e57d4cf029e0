-- Has the offers of a user's local date made, once; answers those that are stored by now.
CREATE OR REPLACE FUNCTION handfast.generate_offers(
    date     date,
    timezone text,
    user_id  uuid
) RETURNS TABLE (
    id uuid, candidate_id uuid, compatibility_score integer, status text, offered_at timestamptz,
    expires_at timestamptz
)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN QUERY
    SELECT s.id, s.candidate_id, s.compatibility_score, s.status, s.offered_at, s.expires_at
    FROM handfast_offers.request_set(
        generate_offers.date, generate_offers.timezone, generate_offers.user_id) AS s;
END
$$;
