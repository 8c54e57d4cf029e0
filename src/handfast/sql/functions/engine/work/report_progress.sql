-- How far a running attempt is. False when the token is no longer its own.
CREATE OR REPLACE FUNCTION handfast_engine.report_progress(
    p_id bigint, p_token bigint, p_fraction real, p_message text
) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO handfast_engine.progress (job_id, token, fraction, message, reported_at)
    SELECT p_id, p_token, p_fraction, p_message, handfast_db.now()
    FROM handfast_engine.live AS l WHERE l.id = p_id AND l.token = p_token AND l.started_at IS NOT NULL
    ON CONFLICT (job_id) DO UPDATE
    SET token = excluded.token, fraction = excluded.fraction, message = excluded.message,
        reported_at = excluded.reported_at;
    RETURN FOUND;
END
$$;
