-- Who must be kept apart now, of these people (null: of all), and how far. What a person did counts
-- before what time brings: a block before a match, a match before a pass, a pass before an offer
-- that is alive. Pairs that the days beside have chosen and may not have published yet count as
-- offered. p_settings are those of the plan. Of several reasons the one with the lowest rank counts;
-- plain aggregates, so that millions of pairs are hashed and not sorted.
CREATE OR REPLACE FUNCTION handfast_offers.pairs_apart(p_day date, p_settings jsonb, p_users uuid[])
RETURNS TABLE (low_id uuid, high_id uuid, at_least integer, live integer, reason text)
LANGUAGE sql STABLE
AS $$
    SELECT k.low, k.high, CASE WHEN min(k.rank) = 7 THEN min(k.at_least) END,
           CASE WHEN min(k.rank) = 7 THEN 0
                WHEN min(k.rank) = 6 AND max(k.rank) = 6 THEN bit_or(k.live) ELSE 3 END,
           ('{blocked,reported,matched,cool_down,passed_twice,offered,passed_before}'::text[])[min(k.rank)]
    FROM (
        SELECT least(b.user_id, b.blocked_id), greatest(b.user_id, b.blocked_id), 1, NULL::integer, 3
        FROM handfast_people.blocks AS b
        WHERE p_users IS NULL OR b.user_id = ANY (p_users) OR b.blocked_id = ANY (p_users)
        UNION ALL
        SELECT least(r.user_id, r.reporter_id), greatest(r.user_id, r.reporter_id), 2, NULL, 3
        FROM handfast_people.reports AS r
        WHERE p_users IS NULL OR r.user_id = ANY (p_users) OR r.reporter_id = ANY (p_users)
        UNION ALL
        SELECT m.low_id, m.high_id, 3, NULL, 3
        FROM handfast_offers.matches AS m
        WHERE p_users IS NULL OR m.low_id = ANY (p_users) OR m.high_id = ANY (p_users)
        UNION ALL
        SELECT least(o.user_id, o.candidate_id), greatest(o.user_id, o.candidate_id), 4, NULL, 3
        FROM handfast_offers.match_offers AS o
        WHERE o.cooldown_until > handfast_db.now()
          AND (p_users IS NULL OR o.user_id = ANY (p_users) OR o.candidate_id = ANY (p_users))
        UNION ALL
        SELECT p.low, p.high, CASE WHEN p.once_more THEN 5 ELSE 7 END,
               CASE WHEN NOT p.once_more
                    THEN p.score + 100 * (p_settings ->> 'uplift')::integer END, 3
        FROM (
            -- The one more offer after a pass counts whatever became of it, once it is over; while
            -- the pair cools down nobody needs to know.
            SELECT f.low, f.high, f.score,
                   f.days > 1 OR f.cool_until <= handfast_db.now() AND EXISTS (
                       SELECT 1 FROM (VALUES (f.low, f.high), (f.high, f.low)) AS w (user_id, candidate_id)
                       JOIN handfast_offers.match_offers AS n USING (user_id, candidate_id)
                       WHERE n.offered_at > f.passed_at
                         AND (n.status NOT IN ('offered', 'not_now', 'accepted')
                              OR n.expires_at <= handfast_db.now())
                   ) AS once_more
            FROM (
                SELECT least(o.user_id, o.candidate_id) AS low,
                       greatest(o.user_id, o.candidate_id) AS high, count(DISTINCT o.day) AS days,
                       max(o.score) AS score, min(o.acted_at) AS passed_at,
                       max(o.cooldown_until) AS cool_until
                FROM handfast_offers.match_offers AS o
                WHERE o.status = 'passed'
                  AND (p_users IS NULL OR o.user_id = ANY (p_users) OR o.candidate_id = ANY (p_users))
                GROUP BY 1, 2
            ) AS f
        ) AS p
        UNION ALL
        SELECT least(o.user_id, o.candidate_id), greatest(o.user_id, o.candidate_id), 6, NULL,
               CASE WHEN o.user_id < o.candidate_id THEN 1 ELSE 2 END
        FROM handfast_offers.match_offers AS o
        WHERE o.status IN ('offered', 'not_now', 'accepted') AND o.expires_at > handfast_db.now()
          AND (p_users IS NULL OR o.user_id = ANY (p_users) OR o.candidate_id = ANY (p_users))
        UNION ALL
        SELECT least(c.user_id, c.candidate_id), greatest(c.user_id, c.candidate_id), 6, NULL,
               CASE WHEN c.user_id < c.candidate_id THEN 1 ELSE 2 END
        FROM handfast_offers.picks AS c
        WHERE c.day BETWEEN p_day - 1 AND p_day + 1 AND c.kind <> 3
          AND (c.day <> p_day OR p_users IS NOT NULL)
          AND (p_users IS NULL OR c.user_id = ANY (p_users) OR c.candidate_id = ANY (p_users))
    ) AS k (low, high, rank, at_least, live)
    GROUP BY k.low, k.high
$$;
