-- The questions that are scored, of each version, in the order in which handfast_people.answers has
-- them. For those who read answers: apps do not import each other. size is how many options or steps
-- there are. tests/apps/people/questions/test_scored_questions.py compares it with the questions.
CREATE OR REPLACE VIEW handfast_people.scored_questions AS
SELECT q.version, q.place, q.id, q.construct, q.type, q.size
FROM (VALUES
    (1, 1, 'after_a_quarrel', 'communication', 'single_choice', 4),
    (1, 2, 'saying_it_straight', 'communication', 'slider', 7),
    (1, 3, 'messages_a_day', 'communication', 'slider', 7),
    (1, 4, 'listening', 'communication', 'slider', 7),
    (1, 5, 'time_alone', 'attachment', 'slider', 7),
    (1, 6, 'leaning_on_somebody', 'attachment', 'slider', 7),
    (1, 7, 'late_answer', 'attachment', 'single_choice', 4),
    (1, 8, 'keeping_a_promise', 'attachment', 'slider', 7),
    (1, 9, 'what_counts', 'values', 'ranking', 4),
    (1, 10, 'faith', 'values', 'slider', 7),
    (1, 11, 'politics', 'values', 'slider', 7),
    (1, 12, 'found_wallet', 'values', 'single_choice', 4),
    (1, 13, 'causes', 'values', 'multiple_choice', 7),
    (1, 14, 'children', 'family', 'single_choice', 5),
    (1, 15, 'parents_near', 'family', 'slider', 7),
    (1, 16, 'money_together', 'family', 'single_choice', 3),
    (1, 17, 'sunday', 'family', 'ranking', 4),
    (1, 18, 'smoking', 'lifestyle', 'single_choice', 4),
    (1, 19, 'drinking', 'lifestyle', 'slider', 7),
    (1, 20, 'early_or_late', 'lifestyle', 'slider', 7),
    (1, 21, 'tidiness', 'lifestyle', 'slider', 7),
    (1, 22, 'free_time', 'lifestyle', 'multiple_choice', 10),
    (1, 23, 'in_five_years', 'intent', 'single_choice', 5),
    (1, 24, 'pace', 'intent', 'slider', 7)
) AS q (version, place, id, construct, type, size);

COMMENT ON VIEW handfast_people.scored_questions IS 'what the packed answers of a version are to';
