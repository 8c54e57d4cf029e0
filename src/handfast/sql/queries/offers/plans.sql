-- name: pin_plan
SELECT handfast_offers.pin_plan($1, $2, $3, $4::jsonb)

-- name: plan
SELECT p.day, p.pinned_at, p.chosen_at, p.question_version, p.people, p.score, p.selection,
       p.settings::text AS settings, p.figures::text AS figures
FROM handfast_offers.plans AS p
WHERE p.day = $1

-- name: questions
SELECT q.id, q.construct, q.type, q.size
FROM handfast_people.scored_questions AS q
WHERE q.version = $1
ORDER BY q.place

-- name: members
SELECT m.user_id AS id, m.birth_date, m.gender, m.seeking, m.min_age, m.max_age, m.max_distance_km,
       m.intent, m.place_x AS x, m.place_y AS y, m.place_z AS z, m.places, m.answers
FROM handfast_offers.round_members AS m
WHERE m.day = $1 AND NOT m.late

-- name: kept_apart
SELECT k.low_id, k.high_id, k.at_least, k.live, k.reason
FROM handfast_offers.kept_apart AS k
WHERE k.day = $1

-- name: returns
SELECT r.user_id, r.candidate_id, r.score
FROM handfast_offers.returns AS r
WHERE r.day = $1
ORDER BY r.score DESC, r.user_id, r.candidate_id

-- name: put_picks
INSERT INTO handfast_offers.picks (day, user_id, candidate_id, place, score, kind, themes)
SELECT $1, n.user_id, n.candidate_id, n.place, n.score, n.kind, string_to_array(n.themes, ',')
FROM unnest($2::uuid[], $3::uuid[], $4::smallint[], $5::smallint[], $6::smallint[], $7::text[])
    AS n (user_id, candidate_id, place, score, kind, themes)

-- name: picks_stored
SELECT c.user_id, c.candidate_id, c.place, c.score, c.kind, array_to_string(c.themes, ',') AS themes
FROM handfast_offers.picks AS c
WHERE c.day = $1 AND ($2::uuid IS NULL OR c.user_id = $2)
ORDER BY c.user_id, c.kind = 4, c.place

-- name: mark_chosen
UPDATE handfast_offers.plans AS p SET chosen_at = handfast_db.now(), figures = $2::jsonb
WHERE p.day = $1 AND p.chosen_at IS NULL
RETURNING p.day

-- name: forget_snapshots
-- Of plans that nobody publishes from any more; what they came to stays.
WITH apart AS (
    DELETE FROM handfast_offers.kept_apart AS k WHERE k.day < $1
), returns AS (
    DELETE FROM handfast_offers.returns AS r WHERE r.day < $1
)
DELETE FROM handfast_offers.round_members AS m WHERE m.day < $1
