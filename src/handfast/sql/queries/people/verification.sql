-- Statements of people: verification.

-- name: verification_candidate
SELECT u.birth_date, u.verified_at IS NOT NULL AS verified, u.in_review,
       u.verification_failures AS failures
FROM handfast_people.users AS u
WHERE u.id = $1
FOR NO KEY UPDATE;

-- name: start_verification
SELECT s.id, s.expires_at, s.provider
FROM handfast_people.start_verification($1, $2, $3, $4, $5, $6) AS s;

-- name: verification_session
SELECT s.id, s.status, s.status = 'open' AND s.expires_at > handfast_db.now() AS live,
       s.has_picture, s.failure_reason, u.birth_date, u.verification_failures AS failures
FROM handfast_people.verification_sessions AS s
JOIN handfast_people.users AS u ON u.id = s.user_id
WHERE s.id = $1 AND s.user_id = $2;

-- name: verification_picture
UPDATE handfast_people.verification_sessions AS s SET has_picture = true WHERE s.id = $1;

-- name: end_verification
SELECT handfast_people.end_verification($1, $2, $3, $4, $5) AS ended;

-- name: decide_verification
SELECT handfast_people.decide_verification($1, $2, $3) AS decided;

-- name: reset_verification
WITH reset AS (
    UPDATE handfast_people.users AS u
    SET verification_failures = 0, updated_at = handfast_db.now()
    WHERE u.id = $1
    RETURNING u.id
)
SELECT count(*) AS users FROM reset;
