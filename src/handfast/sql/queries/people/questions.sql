-- Statements of people: answers to questions.

-- name: put_responses
SELECT handfast_people.put_responses($1, $2, $3, $4, $5, $6);

-- name: responses
SELECT r.question_id, r.version, r.importance, r.answer::text AS answer, r.wish::text AS wish
FROM handfast_people.compatibility_responses AS r
WHERE r.user_id = $1
ORDER BY r.question_id;

-- name: put_answers
WITH kept AS (
    INSERT INTO handfast_people.answers AS a (user_id, version, answers)
    VALUES ($1, $2, $3)
    ON CONFLICT (user_id) DO UPDATE SET version = excluded.version, answers = excluded.answers
)
UPDATE handfast_people.users AS u
SET questionnaire_done = $4, updated_at = handfast_db.now()
WHERE u.id = $1
RETURNING u.onboarding, u.matching;
