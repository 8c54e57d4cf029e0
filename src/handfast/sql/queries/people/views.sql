-- Statements of people: what operators see.

-- One for each way to find users: what reads them in order and stops is an index of its own.

-- name: users_newest
SELECT id, phone_number, display_name, status, onboarding_status, created_at, last_active_at,
       profile_created_at
FROM handfast_people.known_users
WHERE (created_at, id) < (coalesce($1::timestamptz, 'infinity'),
                          coalesce($2, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid))
ORDER BY created_at DESC, id DESC
LIMIT $3;

-- name: users_by_phone
SELECT id, phone_number, display_name, status, onboarding_status, created_at, last_active_at,
       profile_created_at
FROM handfast_people.known_users
WHERE phone_number = $1;

-- No character comes after the last one, so what begins so is what lies between.
-- name: users_named
SELECT id, phone_number, display_name, status, onboarding_status, created_at, last_active_at,
       profile_created_at
FROM handfast_people.known_users
WHERE lower(display_name) COLLATE "C" >= lower($1::text)
  AND lower(display_name) COLLATE "C" < lower($1) || chr(1114111)
  AND (lower(display_name) COLLATE "C", profile_id) > (
          lower(coalesce($3, $1)), coalesce($4, '00000000-0000-0000-0000-000000000000'::uuid))
  AND ($2::text IS NULL OR status = $2)
ORDER BY lower(display_name) COLLATE "C", profile_id
LIMIT $5;

-- name: users_of_status
SELECT id, phone_number, display_name, status, onboarding_status, created_at, last_active_at,
       profile_created_at
FROM handfast_people.known_users
WHERE profile_status = $1
  AND (profile_created_at, profile_id) < (coalesce($2::timestamptz, 'infinity'),
                                          coalesce($3, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid))
ORDER BY profile_created_at DESC, profile_id DESC
LIMIT $4;

-- name: user_beside
SELECT u.verified_at, coalesce(u.verification_failures, 0::smallint) AS verification_failures,
       coalesce(u.in_review, false) AS waits_for_review,
       (SELECT count(*) FROM handfast_people.compatibility_responses AS r WHERE r.user_id = a.id)
           AS answers,
       (SELECT count(*) FROM handfast_people.blocks AS b WHERE b.user_id = a.id) AS blocks_made,
       (SELECT count(*) FROM handfast_people.blocks AS b WHERE b.blocked_id = a.id) AS blocked_by,
       (SELECT count(*) FROM handfast_people.reports AS p WHERE p.reporter_id = a.id)
           AS reports_made,
       (SELECT count(*) FROM handfast_people.reports AS p WHERE p.user_id = a.id) AS reported
FROM handfast_identity.accounts AS a
LEFT JOIN handfast_people.users AS u ON u.id = a.id
WHERE a.id = $1;
