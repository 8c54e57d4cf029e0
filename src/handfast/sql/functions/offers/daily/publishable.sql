-- Where each of these sets stands, in the order in which they were asked for.
--
-- By their keys, whatever the statistics say. On a day that begins they know nothing of it: each set of a
-- batch was compared with all that were published before, and of picks each batch read all users and all
-- live offers. So there are no scans and no hashes here, the plan is made anew for each batch, and what
-- is looked up is a subquery for one row, which the planner can neither turn round nor hash.
CREATE OR REPLACE FUNCTION handfast_offers.publishable(
    p_days date[], p_users uuid[], p_zones text[], p_type text
) RETURNS TABLE (
    day date, user_id uuid, zone text, due_at timestamptz, expires_at timestamptz, is_over boolean,
    has_round boolean, question_version integer, score text, selection text, is_member boolean,
    is_active boolean, has_set boolean
)
LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET jit = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_custom_plan AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT n.day, n.user_id, n.zone, d.due_at, d.expires_at, d.ends_at <= handfast_db.now(),
           p.chosen_at IS NOT NULL, p.question_version, p.score, p.selection, m.user_id IS NOT NULL,
           coalesce(u.status = 'active', false),
           (SELECT true FROM handfast_offers.sets AS s
            WHERE s.day = n.day AND s.user_id = n.user_id AND s.type = p_type) IS NOT NULL
    FROM unnest(p_days, p_users, p_zones) WITH ORDINALITY AS n (day, user_id, zone, place)
    LEFT JOIN handfast_offers.days AS d ON d.zone = n.zone AND d.day = n.day
    LEFT JOIN handfast_offers.plans AS p ON p.day = n.day
    LEFT JOIN handfast_offers.round_members AS m ON m.day = n.day AND m.user_id = n.user_id
    LEFT JOIN handfast_people.users AS u ON u.id = n.user_id
    ORDER BY n.place;
END
$$;
