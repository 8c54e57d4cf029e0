-- name: zone_days
-- What a date came to in each zone: expected are those of the pool, and who has a set and left.
SELECT d.zone, d.day, d.due_at, d.ends_at, d.fanned_out_at, d.closed_at,
       (SELECT count(*) FROM handfast_people.pool AS p
        WHERE p.timezone = d.zone
          AND NOT EXISTS (SELECT 1 FROM handfast_offers.sets AS s
                          WHERE s.day = d.day AND s.user_id = p.id AND s.type = 'daily_offers')) AS lacking,
       coalesce(s.made, 0) AS made, coalesce(s.empty, 0) AS empty, coalesce(s.skipped, 0) AS skipped,
       coalesce(s.offers, 0) AS offers
FROM handfast_offers.days AS d
LEFT JOIN (
    SELECT s.zone, count(*) FILTER (WHERE s.status = 'completed') AS made,
           count(*) FILTER (WHERE s.status = 'completed' AND s.offers = 0) AS empty,
           count(*) FILTER (WHERE s.status = 'skipped') AS skipped, sum(s.offers)::bigint AS offers
    FROM handfast_offers.sets AS s
    WHERE s.day = $1 AND s.type = 'daily_offers'
    GROUP BY s.zone
) AS s ON s.zone = d.zone
WHERE d.day = $1
ORDER BY d.due_at, d.zone

-- name: reasons_of
SELECT s.status, coalesce(s.reason, 'made') AS reason, count(*) AS sets
FROM handfast_offers.sets AS s
WHERE s.day BETWEEN $1 AND $2
GROUP BY 1, 2
ORDER BY 1, 2

-- name: offers_by_status
SELECT o.status, count(*) AS offers
FROM handfast_offers.match_offers AS o
WHERE o.day BETWEEN $1 AND $2
GROUP BY 1
ORDER BY 1

-- name: matches_between
SELECT count(*) AS made, count(*) FILTER (WHERE m.closed_at IS NOT NULL) AS closed
FROM handfast_offers.matches AS m
WHERE m.created_at >= $1::date AND m.created_at < $2::date + 1

-- name: rounds
SELECT p.day, p.pinned_at, p.chosen_at, p.question_version, p.people, p.score, p.selection,
       p.settings::text AS settings, p.figures::text AS figures
FROM handfast_offers.plans AS p
WHERE $1::date IS NULL OR p.day < $1
ORDER BY p.day DESC
LIMIT $2

-- name: sets_of
SELECT s.id, s.day, s.type, s.zone, s.due_at, s.made_at, s.status, s.reason, s.offers::integer AS offers,
       array_to_string(s.removed, ',') AS removed, s.question_version, s.score, s.selection
FROM handfast_offers.sets AS s
WHERE s.user_id = $1 AND ($2::date IS NULL OR s.day <= $2)
ORDER BY s.day DESC, s.type
LIMIT $3

-- name: offers_of
SELECT o.id, o.day, o.candidate_id, o.place, o.score, o.kind, array_to_string(o.themes, ',') AS themes,
       o.status, o.offered_at, o.expires_at, o.acted_at
FROM handfast_offers.match_offers AS o
WHERE o.user_id = $1 AND o.day = ANY ($2::date[])
ORDER BY o.day DESC, o.kind = 4, o.place

-- name: member
SELECT m.user_id AS id, m.birth_date, m.gender, m.seeking, m.min_age, m.max_age, m.max_distance_km,
       m.intent, m.place_x AS x, m.place_y AS y, m.place_z AS z, m.places, m.answers
FROM handfast_offers.round_members AS m
WHERE m.day = $1 AND m.user_id = $2

-- name: why_no_member
-- Why somebody is in no snapshot, as they are now.
SELECT CASE WHEN u.id IS NULL THEN 'unknown'
            WHEN u.status <> 'active' THEN u.status
            WHEN NOT u.questionnaire_done THEN 'questionnaire_pending'
            WHEN u.timezone IS NULL THEN 'no_timezone'
            WHEN u.birth_date IS NULL OR u.gender IS NULL OR u.place_x IS NULL THEN 'no_profile'
            WHEN a.version IS DISTINCT FROM $2 THEN 'other_questions'
            ELSE 'came_later' END
FROM (SELECT $1::uuid AS id) AS n
LEFT JOIN handfast_people.users AS u ON u.id = n.id
LEFT JOIN handfast_people.answers AS a ON a.user_id = n.id

-- name: apart_in_plan
SELECT k.low_id, k.high_id, k.at_least, k.live, k.reason
FROM handfast_offers.kept_apart AS k
WHERE k.day = $1 AND k.low_id = least($2::uuid, $3::uuid) AND k.high_id = greatest($2::uuid, $3::uuid)

-- name: latest_plan
SELECT max(p.day) FROM handfast_offers.plans AS p WHERE p.chosen_at IS NOT NULL

-- name: late_members
SELECT m.user_id FROM handfast_offers.round_members AS m WHERE m.day = $1 AND m.late ORDER BY m.user_id

-- name: acceptance
-- How often offers of a score were accepted, by tens of points, of those that were decided.
SELECT least(o.score / 1000, 9) AS tens, count(*) AS offers,
       count(*) FILTER (WHERE o.accepted_at IS NOT NULL) AS accepted
FROM handfast_offers.match_offers AS o
WHERE o.status <> 'offered' AND o.status <> 'closed'
GROUP BY 1
ORDER BY 1

-- name: surplus
-- Users of a zone who have more offers of a date than their set says: none, or something is made twice.
SELECT count(*)
FROM handfast_offers.sets AS s
WHERE s.day = $1 AND s.zone = $2
  AND s.offers < (SELECT count(*) FROM handfast_offers.match_offers AS o
                  WHERE o.day = s.day AND o.user_id = s.user_id
                    AND (o.kind = 4) = (s.type = 'weekly_anchor'))

-- name: sets_left
SELECT count(*) FROM unnest($2::uuid[]) AS n (id)
WHERE NOT EXISTS (SELECT 1 FROM handfast_offers.sets AS s
                  WHERE s.day = $1 AND s.user_id = n.id AND s.type = 'daily_offers')

-- name: plan_state
SELECT coalesce(j.state::text, 'live') FROM handfast_engine.known_jobs AS j
WHERE j.kind = 'offers.plan' AND j.key = $1
