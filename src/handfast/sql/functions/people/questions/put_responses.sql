-- Store answers over those before. Locks the user first: whoever reads the answers next, in the
-- same transaction, sees all of them.
CREATE OR REPLACE FUNCTION handfast_people.put_responses(
    p_user uuid, p_version integer, p_questions text[], p_importance smallint[], p_answers text[],
    p_wishes text[]
) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM 1 FROM handfast_people.users AS u WHERE u.id = p_user FOR NO KEY UPDATE;

    INSERT INTO handfast_people.compatibility_responses AS r
        (user_id, question_id, version, importance, answered_at, answer, wish)
    SELECT p_user, given.question, p_version, given.importance, handfast_db.now(),
           given.answer::jsonb, given.wish::jsonb
    FROM unnest(p_questions, p_importance, p_answers, p_wishes)
         AS given (question, importance, answer, wish)
    ON CONFLICT (user_id, question_id) DO UPDATE
    SET version = excluded.version, importance = excluded.importance,
        answered_at = excluded.answered_at, answer = excluded.answer, wish = excluded.wish;
END
$$;
