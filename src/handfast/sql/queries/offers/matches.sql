-- name: matches
-- Of a closed one only whom it was with. A block is told to nobody but who made it.
SELECT m.id, u.id AS user_id,
       CASE WHEN m.closed_at IS NULL THEN u.display_name END AS display_name,
       CASE WHEN m.closed_at IS NULL THEN u.bio END AS bio,
       CASE WHEN m.closed_at IS NULL THEN u.birth_date END AS birth_date,
       CASE WHEN m.closed_at IS NULL THEN handfast_people.photos_of(u.id) ELSE '[]' END AS photos,
       m.status, m.created_at, m.closed_at,
       CASE WHEN m.closed_reason = 'blocked' AND m.closed_by IS DISTINCT FROM $1 THEN 'unmatched'
            ELSE m.closed_reason END AS closed_reason,
       (handfast_db.now() AT TIME ZONE 'UTC')::date AS today
FROM handfast_offers.matches AS m
CROSS JOIN LATERAL (SELECT CASE WHEN m.low_id = $1 THEN m.high_id ELSE m.low_id END) AS o (id)
LEFT JOIN handfast_people.users AS u ON u.id = o.id
WHERE (m.low_id = $1 OR m.high_id = $1) AND ($2::text IS NULL OR m.status = $2)
  AND ($3::uuid IS NULL OR m.id = $3)
ORDER BY m.created_at DESC, m.id DESC
LIMIT $4

-- name: partner_in
SELECT CASE WHEN m.low_id = $2 THEN m.high_id ELSE m.low_id END
FROM handfast_offers.matches AS m
WHERE m.id = $1 AND (m.low_id = $2 OR m.high_id = $2)

-- name: close_match
-- The caller holds the pair.
UPDATE handfast_offers.matches AS m
SET closed_at = handfast_db.now(), closed_by = $3, closed_reason = $4, unmatch_reason = $5
WHERE m.low_id = least($1::uuid, $2::uuid) AND m.high_id = greatest($1::uuid, $2::uuid)
  AND m.closed_at IS NULL
RETURNING m.id

-- name: close_offers
-- Live ones, both ways.
UPDATE handfast_offers.match_offers AS o SET status = 'closed'
WHERE ((o.user_id = $1 AND o.candidate_id = $2) OR (o.user_id = $2 AND o.candidate_id = $1))
  AND o.status IN ('offered', 'not_now', 'accepted')

-- name: partners_of
-- Everybody between whom and a user something is open, in the order in which pairs are locked.
SELECT o.candidate_id FROM handfast_offers.match_offers AS o
WHERE o.user_id = $1 AND o.status IN ('offered', 'not_now', 'accepted')
UNION
SELECT o.user_id FROM handfast_offers.match_offers AS o
WHERE o.candidate_id = $1 AND o.status IN ('offered', 'not_now', 'accepted')
UNION
SELECT CASE WHEN m.low_id = $1 THEN m.high_id ELSE m.low_id END
FROM handfast_offers.matches AS m
WHERE (m.low_id = $1 OR m.high_id = $1) AND m.closed_at IS NULL
ORDER BY 1

-- name: forget_member
-- The person goes from the snapshots, too; a round that is computed again then says so.
DELETE FROM handfast_offers.round_members AS m WHERE m.user_id = $1
