-- Statements of people: what operators see.

-- name: list_users
SELECT a.id, a.phone AS phone_number, u.display_name,
       coalesce(u.status, CASE a.status WHEN 'active' THEN 'pending_verification' ELSE a.status END)
           AS status,
       coalesce(u.onboarding, 'questionnaire_pending') AS onboarding_status,
       a.created_at, a.last_active_at
FROM handfast_identity.accounts AS a
LEFT JOIN handfast_people.users AS u ON u.id = a.id
WHERE ($1::text IS NULL OR a.phone = $1)
  AND ($2::text IS NULL OR lower(u.display_name) LIKE $2)
  AND ($3::text IS NULL OR u.status = $3)
  AND ($4::timestamptz IS NULL OR (a.created_at, a.id) < ($4, $5::uuid))
ORDER BY a.created_at DESC, a.id DESC
LIMIT $6;

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
