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
ORDER BY m.user_id

-- name: kept_apart
-- Pairs of a plan behind the last that was seen ($2, $3), up to $4, as records of 38 bytes in the order
-- of their ids.
SELECT coalesce(string_agg(
           uuid_send(k.low_id) || uuid_send(k.high_id) || int2send(coalesce(k.at_least, -1::smallint))
           || int2send(k.live) || int2send((k.reason = 'offered')::integer::smallint),
           '' ORDER BY k.low_id, k.high_id), '') AS records
FROM (
    SELECT i.low_id, i.high_id, i.at_least, i.live, i.reason
    FROM handfast_offers.kept_apart AS i
    WHERE i.day = $1 AND (i.low_id, i.high_id) > ($2::uuid, $3::uuid)
    ORDER BY i.low_id, i.high_id LIMIT $4
) AS k

-- name: returns
SELECT r.user_id, r.candidate_id, r.score
FROM handfast_offers.returns AS r
WHERE r.day = $1
ORDER BY r.score DESC, r.user_id, r.candidate_id

-- name: picks_stored
SELECT c.user_id, c.candidate_id, c.place, c.score, c.kind, c.themes
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
