-- name: lock_publishing
SELECT handfast_offers.lock_publishing(true)

-- name: lock_publishing_alone
SELECT handfast_offers.lock_publishing(false)

-- name: publishable
SELECT p.day, p.user_id, p.zone, p.due_at, p.expires_at, p.is_over, p.has_round, p.question_version,
       p.score, p.selection, p.is_member, p.is_active, p.has_set
FROM handfast_offers.publishable($1::date[], $2::uuid[], $3::text[], $4) AS p

-- name: picks_of
SELECT p.day, p.user_id, p.candidate_id, p.place, p.score, p.kind, p.themes, p.is_removed
FROM handfast_offers.picks_of($1::date[], $2::uuid[], $3::smallint[]) AS p

-- name: put_sets
-- Answers those that were not there: whoever closes a day that is over may be first.
INSERT INTO handfast_offers.sets
    (id, day, user_id, type, zone, due_at, made_at, status, reason, offers, removed,
     question_version, score, selection)
SELECT n.id, n.day, n.user_id, $13, n.zone, n.due_at, handfast_db.now(), n.status, n.reason,
       n.offers, string_to_array(n.removed, ',')::uuid[], n.question_version, n.score, n.selection
FROM unnest($1::uuid[], $2::date[], $3::uuid[], $4::text[], $5::timestamptz[], $6::text[], $7::text[],
            $8::smallint[], $9::text[], $10::integer[], $11::text[], $12::text[])
    AS n (id, day, user_id, zone, due_at, status, reason, offers, removed, question_version, score,
          selection)
ON CONFLICT (day, user_id, type) DO NOTHING
RETURNING id

-- name: put_offers
INSERT INTO handfast_offers.match_offers
    (id, user_id, candidate_id, day, place, score, kind, themes, offered_at, expires_at)
SELECT n.id, n.user_id, n.candidate_id, n.day, n.place, n.score, n.kind, string_to_array(n.themes, ','),
       n.offered_at, n.expires_at
FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::date[], $5::smallint[], $6::smallint[],
            $7::smallint[], $8::text[], $9::timestamptz[], $10::timestamptz[])
    AS n (id, user_id, candidate_id, day, place, score, kind, themes, offered_at, expires_at)

-- name: expire
-- Those that nobody acts on this moment; the others are found the next time.
WITH over AS MATERIALIZED (
    SELECT o.id FROM handfast_offers.match_offers AS o
    WHERE o.status IN ('offered', 'not_now', 'accepted') AND o.expires_at <= handfast_db.now()
    ORDER BY o.expires_at LIMIT $1
    FOR UPDATE SKIP LOCKED
)
UPDATE handfast_offers.match_offers AS o SET status = 'expired'
FROM over WHERE o.id = over.id

-- name: latecomers
SELECT l.day, l.user_id FROM handfast_offers.latecomers($1::date[], $2::uuid[]) AS l

-- name: pin_latecomers
SELECT handfast_offers.pin_members($1, $2::uuid[])

-- name: keep_latecomers_apart
-- In one order: two batches may have some of them in common, and wait for each other.
INSERT INTO handfast_offers.kept_apart (day, low_id, high_id, at_least, live, reason)
SELECT $1, k.low_id, k.high_id, k.at_least, k.live, k.reason
FROM handfast_offers.plans AS p
CROSS JOIN LATERAL handfast_offers.pairs_apart(p.day, p.settings, $2::uuid[]) AS k
WHERE p.day = $1
ORDER BY k.low_id, k.high_id
ON CONFLICT (day, low_id, high_id) DO NOTHING

-- name: members_near
-- Everybody of the snapshot within reach of one of these ($3: by squared chord), and those themselves.
SELECT m.user_id AS id, m.birth_date, m.gender, m.seeking, m.min_age, m.max_age, m.max_distance_km,
       m.intent, m.place_x AS x, m.place_y AS y, m.place_z AS z, m.places, m.answers
FROM handfast_offers.round_members AS m
WHERE m.day = $1
  AND (m.user_id = ANY ($2::uuid[]) OR NOT m.late AND EXISTS (
      SELECT 1 FROM handfast_offers.round_members AS l
      WHERE l.day = $1 AND l.user_id = ANY ($2::uuid[])
        AND (m.place_x - l.place_x)::bigint ^ 2 + (m.place_y - l.place_y)::bigint ^ 2
            + (m.place_z - l.place_z)::bigint ^ 2 <= $3::bigint))

-- name: apart_from
SELECT k.low_id, k.high_id, k.at_least, k.live, k.reason
FROM handfast_offers.kept_apart AS k
WHERE k.day = $1 AND (k.low_id = ANY ($2::uuid[]) OR k.high_id = ANY ($2::uuid[]))
