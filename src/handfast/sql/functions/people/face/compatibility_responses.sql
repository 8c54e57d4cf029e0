-- What users answered.
CREATE OR REPLACE VIEW handfast.compatibility_responses AS
SELECT r.user_id, r.question_id, r.version, r.answer, r.importance, r.wish, r.answered_at
FROM handfast_people.compatibility_responses AS r;

COMMENT ON VIEW handfast.compatibility_responses IS 'one row for each answer';
