-- What a round has chosen for these, of some kinds, and what of it has to be left out by now. Each rule
-- is a look into an index of its own (see publishable): as functions, or with OR, it took five times as
-- long.
CREATE OR REPLACE FUNCTION handfast_offers.picks_of(p_days date[], p_users uuid[], p_kinds smallint[])
RETURNS TABLE (
    day date, user_id uuid, candidate_id uuid, place smallint, score smallint, kind smallint,
    themes text, is_removed boolean
)
LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET jit = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_custom_plan AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT c.day, c.user_id, c.candidate_id, c.place, c.score, c.kind, c.themes,
           (SELECT true FROM handfast_people.users AS u
            WHERE u.id = c.candidate_id AND u.status = 'active') IS NULL
           OR (SELECT true FROM handfast_people.blocks AS b
               WHERE b.user_id = c.user_id AND b.blocked_id = c.candidate_id) IS NOT NULL
           OR (SELECT true FROM handfast_people.blocks AS b
               WHERE b.user_id = c.candidate_id AND b.blocked_id = c.user_id) IS NOT NULL
           OR (SELECT true FROM handfast_people.reports AS r
               WHERE r.user_id = c.user_id AND r.reporter_id = c.candidate_id LIMIT 1) IS NOT NULL
           OR (SELECT true FROM handfast_people.reports AS r
               WHERE r.user_id = c.candidate_id AND r.reporter_id = c.user_id LIMIT 1) IS NOT NULL
           OR (SELECT true FROM handfast_offers.matches AS m
               WHERE m.low_id = least(c.user_id, c.candidate_id)
                 AND m.high_id = greatest(c.user_id, c.candidate_id)) IS NOT NULL
           OR (SELECT true FROM handfast_offers.match_offers AS o
               WHERE o.user_id = c.user_id AND o.candidate_id = c.candidate_id
                 AND o.status IN ('offered', 'not_now', 'accepted')) IS NOT NULL
    FROM unnest(p_days, p_users) AS n (day, user_id)
    JOIN handfast_offers.picks AS c ON c.day = n.day AND c.user_id = n.user_id
    WHERE c.kind = ANY (p_kinds)
    ORDER BY c.day, c.user_id, c.place;
END
$$;
