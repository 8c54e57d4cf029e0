-- On which lane a job ended and how often it was tried, while its history is kept; a dead letter
-- keeps that itself. Reads one partition, for each row of a list.
CREATE OR REPLACE FUNCTION handfast_engine.ending(p_id bigint, p_finished_at timestamptz, p_token bigint)
RETURNS TABLE (lane text, attempt integer)
LANGUAGE sql STABLE AS $$
    (
        SELECT d.lane, d.attempt FROM handfast_engine.dead AS d
        WHERE d.job_id = p_id AND d.died_at = p_finished_at
        UNION ALL
        SELECT a.lane, a.attempt FROM handfast_engine.attempts AS a
        WHERE a.job_id = p_id AND a.finished_at = p_finished_at AND a.token = p_token
    ) LIMIT 1
$$;
