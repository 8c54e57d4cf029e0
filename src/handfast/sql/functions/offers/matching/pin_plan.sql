-- Pin who takes part in the round of a date, as they are now, and who must be kept apart. Whoever
-- comes second finds the plan and changes nothing. Pairs that the day before has chosen and may not
-- have published yet are kept apart as if they were.
CREATE OR REPLACE FUNCTION handfast_offers.pin_plan(
    p_day date, p_score text, p_selection text, p_settings jsonb
) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    v_now     timestamptz := handfast_db.now();
    v_version integer;
    v_people  integer;
BEGIN
    SELECT max(q.version) INTO v_version FROM handfast_people.scored_questions AS q;
    INSERT INTO handfast_offers.plans (day, pinned_at, question_version, people, score, selection, settings)
    VALUES (p_day, v_now, v_version, 0, p_score, p_selection, p_settings)
    ON CONFLICT (day) DO NOTHING;
    IF NOT FOUND THEN
        RETURN;
    END IF;

    INSERT INTO handfast_offers.round_members
        (day, user_id, birth_date, place_x, place_y, place_z, min_age, max_age, max_distance_km, places,
         gender, seeking, intent, answers)
    SELECT p_day, p.id, p.birth_date, p.place_x, p.place_y, p.place_z, p.min_age, p.max_age,
           p.max_distance_km,
           greatest(0, least((p_settings ->> 'per_day')::integer,
                             (p_settings ->> 'active_matches')::integer - coalesce(m.active, 0))),
           p.gender, p.seeking, p.relationship_intent, p.answers
    FROM handfast_people.pool AS p
    LEFT JOIN (
        SELECT one.id, count(*) AS active
        FROM handfast_offers.matches AS m
        CROSS JOIN LATERAL (VALUES (m.low_id), (m.high_id)) AS one (id)
        WHERE m.closed_at IS NULL
        GROUP BY one.id
    ) AS m ON m.id = p.id
    WHERE p.version = v_version;
    GET DIAGNOSTICS v_people = ROW_COUNT;
    UPDATE handfast_offers.plans AS p SET people = v_people WHERE p.day = p_day;

    INSERT INTO handfast_offers.kept_apart (day, low_id, high_id, at_least, reason)
    SELECT DISTINCT ON (k.low, k.high) p_day, k.low, k.high, k.at_least, k.reason
    FROM (
        SELECT least(b.user_id, b.blocked_id), greatest(b.user_id, b.blocked_id), 1, 'blocked', NULL::integer
        FROM handfast_people.blocks AS b
        UNION ALL
        SELECT least(r.user_id, r.reporter_id), greatest(r.user_id, r.reporter_id), 2, 'reported', NULL
        FROM handfast_people.reports AS r
        UNION ALL
        SELECT m.low_id, m.high_id, 3, 'matched', NULL FROM handfast_offers.matches AS m
        UNION ALL
        SELECT least(o.user_id, o.candidate_id), greatest(o.user_id, o.candidate_id), 4, 'offered', NULL
        FROM handfast_offers.match_offers AS o
        WHERE o.status IN ('offered', 'not_now', 'accepted') AND o.expires_at > v_now
        UNION ALL
        SELECT least(c.user_id, c.candidate_id), greatest(c.user_id, c.candidate_id), 4, 'offered', NULL
        FROM handfast_offers.picks AS c
        WHERE c.day IN (p_day - 1, p_day + 1)
        UNION ALL
        SELECT least(o.user_id, o.candidate_id), greatest(o.user_id, o.candidate_id), 5, 'cool_down', NULL
        FROM handfast_offers.match_offers AS o
        WHERE o.cooldown_until > v_now
        UNION ALL
        SELECT least(o.user_id, o.candidate_id), greatest(o.user_id, o.candidate_id),
               6, CASE WHEN count(DISTINCT o.day) > 1 THEN 'passed_twice' ELSE 'passed_before' END,
               CASE WHEN count(DISTINCT o.day) = 1
                    THEN max(o.score) + 100 * (p_settings ->> 'uplift')::integer END
        FROM handfast_offers.match_offers AS o
        WHERE o.status = 'passed'
        GROUP BY 1, 2
    ) AS k (low, high, rank, reason, at_least)
    JOIN handfast_offers.round_members AS l ON l.day = p_day AND l.user_id = k.low
    JOIN handfast_offers.round_members AS h ON h.day = p_day AND h.user_id = k.high
    ORDER BY k.low, k.high, k.rank;
END
$$;
