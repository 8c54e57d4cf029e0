-- name: clock
SELECT handfast_db.now()

-- name: zones_without_days
-- Zones of users whose days are not filled until $1. From zone to zone by the index: the minute's
-- look must not read a million users.
WITH RECURSIVE zones AS (
    (SELECT u.timezone FROM handfast_people.users AS u WHERE u.timezone IS NOT NULL
     ORDER BY u.timezone LIMIT 1)
    UNION ALL
    SELECT (SELECT u.timezone FROM handfast_people.users AS u WHERE u.timezone > z.timezone
            ORDER BY u.timezone LIMIT 1)
    FROM zones AS z WHERE z.timezone IS NOT NULL
)
SELECT z.timezone
FROM zones AS z
WHERE z.timezone IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM handfast_offers.days AS d WHERE d.zone = z.timezone AND d.day >= $1)

-- name: put_days
INSERT INTO handfast_offers.days (zone, day, due_at, ends_at, expires_at)
SELECT n.zone, n.day, n.due_at, n.ends_at, n.expires_at
FROM unnest($1::text[], $2::date[], $3::timestamptz[], $4::timestamptz[], $5::timestamptz[])
    AS n (zone, day, due_at, ends_at, expires_at)
ON CONFLICT (zone, day) DO NOTHING

-- name: plans_due
-- Dates whose first set is due within an hour somewhere, whose day is not over everywhere, and that
-- nobody has thought of yet.
SELECT d.day
FROM handfast_offers.days AS d
WHERE d.closed_at IS NULL
  AND NOT EXISTS (SELECT 1 FROM handfast_offers.plans AS p WHERE p.day = d.day)
  AND NOT EXISTS (SELECT 1 FROM handfast_engine.known_jobs AS j
                  WHERE j.kind = 'offers.plan' AND j.key = d.day::text)
GROUP BY d.day
HAVING min(d.due_at) - interval '1 hour' <= handfast_db.now() AND max(d.ends_at) > handfast_db.now()
ORDER BY d.day

-- name: zones_to_fan_out
-- Whose round is there and whose job is not: a zone that came after the plan. ($1: of one date, in
-- the transaction that ends its plan.)
SELECT d.zone, d.day, d.due_at
FROM handfast_offers.days AS d
JOIN handfast_offers.plans AS p ON p.day = d.day AND p.chosen_at IS NOT NULL
WHERE d.closed_at IS NULL AND d.fanned_out_at IS NULL AND d.ends_at > handfast_db.now()
  AND ($1::date IS NULL OR d.day = $1)
  AND NOT EXISTS (SELECT 1 FROM handfast_engine.known_jobs AS j
                  WHERE j.kind = 'offers.fan_out' AND j.key = d.day || ':' || d.zone)
ORDER BY d.due_at, d.zone

-- name: users_due
-- A slice of a zone's users without a set of that date, after the last of the slice before.
SELECT p.id
FROM handfast_people.pool AS p
WHERE p.timezone = $1 AND ($3::uuid IS NULL OR p.id > $3)
  AND NOT EXISTS (SELECT 1 FROM handfast_offers.sets AS s
                  WHERE s.day = $2 AND s.user_id = p.id AND s.type = 'daily_offers')
ORDER BY p.id
LIMIT $4

-- name: users_of_the_week
-- Those of these for whom the round has an offer of the week.
SELECT c.user_id
FROM handfast_offers.picked AS c
WHERE c.day = $1 AND c.kinds @> '{4}' AND c.user_id = ANY ($2::uuid[])
ORDER BY c.user_id

-- name: mark_fanned_out
UPDATE handfast_offers.days AS d SET fanned_out_at = handfast_db.now() WHERE d.zone = $1 AND d.day = $2

-- name: zones_over
SELECT d.zone, d.day, d.due_at
FROM handfast_offers.days AS d
WHERE d.closed_at IS NULL AND d.ends_at <= handfast_db.now()
  AND NOT EXISTS (SELECT 1 FROM handfast_engine.known_jobs AS j
                  WHERE j.kind = 'offers.close' AND j.key = d.day || ':' || d.zone)
ORDER BY d.ends_at, d.zone

-- name: users_missed
-- Those who were there when their set was due, and have none.
SELECT p.id
FROM handfast_people.pool AS p
JOIN handfast_people.users AS u ON u.id = p.id AND u.created_at < $3 AND u.verified_at < $3
WHERE p.timezone = $1
  AND NOT EXISTS (SELECT 1 FROM handfast_offers.sets AS s
                  WHERE s.day = $2 AND s.user_id = p.id AND s.type = 'daily_offers')
ORDER BY p.id

-- name: mark_closed
UPDATE handfast_offers.days AS d SET closed_at = handfast_db.now() WHERE d.zone = $1 AND d.day = $2

-- name: has_expired
SELECT EXISTS (SELECT 1 FROM handfast_offers.match_offers AS o
               WHERE o.status IN ('offered', 'not_now', 'accepted') AND o.expires_at <= handfast_db.now())

-- name: day_known
-- Of these zones, those that have that date; all zones with users if none is named.
SELECT d.zone, d.day, d.due_at
FROM handfast_offers.days AS d
WHERE d.day = $1 AND ($2::text IS NULL OR d.zone = $2)
ORDER BY d.due_at, d.zone

-- name: plans_expected
-- For the engine's gaps: a round for each date that is being published somewhere.
SELECT d.day::text AS key, jsonb_build_object('day', d.day)::text AS payload,
       min(d.due_at) - interval '1 hour' AS due_at,
       EXISTS (SELECT 1 FROM handfast_offers.plans AS p
               WHERE p.day = d.day AND p.chosen_at IS NOT NULL) AS result_exists
FROM handfast_offers.days AS d
WHERE d.closed_at IS NULL
GROUP BY d.day
HAVING min(d.due_at) - interval '1 hour' >= $1 AND min(d.due_at) - interval '1 hour' < $2
   AND max(d.ends_at) > handfast_db.now()

-- name: sets_expected
-- For the engine's gaps: a set for everybody of the pool, on each local day that is not over.
SELECT d.day || ':' || p.id AS key,
       jsonb_build_object('day', d.day, 'zone', d.zone, 'user_id', p.id)::text AS payload,
       d.due_at,
       EXISTS (SELECT 1 FROM handfast_offers.sets AS s
               WHERE s.day = d.day AND s.user_id = p.id AND s.type = 'daily_offers') AS result_exists,
       CASE WHEN NOT EXISTS (SELECT 1 FROM handfast_offers.plans AS p
                             WHERE p.day = d.day AND p.chosen_at IS NOT NULL)
            THEN jsonb_build_array(jsonb_build_array('offers.plan', d.day::text))::text END AS requires
FROM handfast_offers.days AS d
JOIN handfast_people.pool AS p ON p.timezone = d.zone
WHERE d.due_at >= $1 AND d.due_at < $2 AND d.ends_at > handfast_db.now()

-- name: anchors_expected
-- And one for everybody for whom a round has an offer of the week.
SELECT to_char(d.day, 'IYYY-"W"IW') || ':' || c.user_id AS key,
       jsonb_build_object('day', d.day, 'zone', d.zone, 'user_id', c.user_id)::text AS payload,
       d.due_at,
       EXISTS (SELECT 1 FROM handfast_offers.sets AS s
               WHERE s.day = d.day AND s.user_id = c.user_id AND s.type = 'weekly_anchor') AS result_exists
FROM handfast_offers.days AS d
JOIN handfast_offers.picked AS c ON c.day = d.day AND c.kinds @> '{4}'
JOIN handfast_people.pool AS p ON p.id = c.user_id AND p.timezone = d.zone
WHERE d.due_at >= $1 AND d.due_at < $2 AND d.ends_at > handfast_db.now()
