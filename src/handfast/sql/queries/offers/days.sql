-- name: clock
SELECT handfast_db.now()

-- name: zones_in_use
SELECT DISTINCT p.timezone FROM handfast_people.pool AS p ORDER BY 1

-- name: put_days
INSERT INTO handfast_offers.days (zone, day, due_at, ends_at, expires_at)
SELECT n.zone, n.day, n.due_at, n.ends_at, n.expires_at
FROM unnest($1::text[], $2::date[], $3::timestamptz[], $4::timestamptz[], $5::timestamptz[])
    AS n (zone, day, due_at, ends_at, expires_at)
ON CONFLICT (zone, day) DO NOTHING

-- name: plans_due
-- Dates whose first set is due within an hour somewhere, and whose day is not over everywhere.
SELECT d.day
FROM handfast_offers.days AS d
WHERE d.closed_at IS NULL
  AND NOT EXISTS (SELECT 1 FROM handfast_offers.plans AS p WHERE p.day = d.day)
GROUP BY d.day
HAVING min(d.due_at) - interval '1 hour' <= handfast_db.now() AND max(d.ends_at) > handfast_db.now()
ORDER BY d.day

-- name: zones_due
-- Once their round is there: before, a set could only wait for it.
SELECT d.zone, d.day, d.due_at
FROM handfast_offers.days AS d
JOIN handfast_offers.plans AS p ON p.day = d.day AND p.chosen_at IS NOT NULL
WHERE d.closed_at IS NULL AND d.fanned_out_at IS NULL
  AND d.due_at <= handfast_db.now() AND d.ends_at > handfast_db.now()
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

-- name: mark_fanned_out
UPDATE handfast_offers.days AS d SET fanned_out_at = handfast_db.now() WHERE d.zone = $1 AND d.day = $2

-- name: zones_over
SELECT d.zone, d.day, d.due_at
FROM handfast_offers.days AS d
WHERE d.closed_at IS NULL AND d.ends_at <= handfast_db.now()
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

-- name: sets_expected
-- For the engine's gaps: a set for everybody of the pool, on each local day that is not over.
SELECT d.day || ':' || p.id AS key,
       jsonb_build_object('day', d.day, 'zone', d.zone, 'user_id', p.id)::text AS payload,
       d.due_at,
       EXISTS (SELECT 1 FROM handfast_offers.sets AS s
               WHERE s.day = d.day AND s.user_id = p.id AND s.type = 'daily_offers') AS result_exists
FROM handfast_offers.days AS d
JOIN handfast_people.pool AS p ON p.timezone = d.zone
WHERE d.due_at >= $1 AND d.due_at < $2 AND d.ends_at > handfast_db.now()
