-- A match of a user, held until the commit: whoever would close it waits, and whoever waited for one that
-- was being closed sees that. No partner: the user is in no such match.
CREATE OR REPLACE FUNCTION handfast_offers.hold_match(
    p_match uuid, p_user uuid, OUT partner_id uuid, OUT is_open boolean
)
LANGUAGE plpgsql
AS $$
BEGIN
    SELECT CASE WHEN m.low_id = p_user THEN m.high_id ELSE m.low_id END INTO partner_id
    FROM handfast_offers.matches AS m
    WHERE m.id = p_match AND p_user IN (m.low_id, m.high_id);
    IF partner_id IS NOT NULL THEN
        PERFORM handfast_offers.lock_pair(p_user, partner_id);
        SELECT m.closed_at IS NULL INTO is_open
        FROM handfast_offers.matches AS m WHERE m.id = p_match;
    END IF;
END
$$;
