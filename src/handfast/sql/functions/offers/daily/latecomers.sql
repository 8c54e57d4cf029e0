-- Of these, who is ready now and was not when the plan was pinned: hardly anybody, so who is not a member
-- is found first, by keys (see publishable).
CREATE OR REPLACE FUNCTION handfast_offers.latecomers(p_days date[], p_users uuid[])
RETURNS TABLE (day date, user_id uuid)
LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET jit = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_custom_plan AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH strangers AS MATERIALIZED (
        SELECT n.day, n.user_id
        FROM unnest(p_days, p_users) AS n (day, user_id)
        LEFT JOIN handfast_offers.round_members AS m ON m.day = n.day AND m.user_id = n.user_id
        WHERE m.user_id IS NULL
    )
    SELECT n.day, n.user_id
    FROM strangers AS n
    JOIN handfast_offers.plans AS p ON p.day = n.day AND p.chosen_at IS NOT NULL
    WHERE (SELECT true FROM handfast_people.pool AS l
           WHERE l.id = n.user_id AND l.version = p.question_version LIMIT 1) IS NOT NULL
      AND (SELECT true FROM handfast_offers.sets AS s
           WHERE s.day = n.day AND s.user_id = n.user_id AND s.type = 'daily_offers') IS NULL
    ORDER BY n.day, n.user_id;
END
$$;
