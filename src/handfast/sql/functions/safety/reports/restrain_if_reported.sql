-- Pause somebody whom so many different people have reported within so many hours, in reports that are
-- still open. The caller holds the reports about them. Answers whether that is new.
CREATE OR REPLACE FUNCTION handfast_safety.restrain_if_reported(
    p_user uuid, p_reporters integer, p_hours integer
) RETURNS boolean
LANGUAGE plpgsql
AS $$
DECLARE
    v_now       timestamptz := handfast_db.now();
    v_reporters integer;
BEGIN
    SELECT count(DISTINCT r.reporter_id) INTO v_reporters
    FROM handfast_people.reports AS r
    WHERE r.user_id = p_user AND r.status = 'open' AND r.created_at > v_now - p_hours * interval '1 hour';
    IF v_reporters < p_reporters THEN
        RETURN false;
    END IF;
    INSERT INTO handfast_safety.restraints (user_id, restrained_at, reporters, hours)
    VALUES (p_user, v_now, v_reporters, p_hours)
    ON CONFLICT (user_id) WHERE lifted_at IS NULL DO NOTHING;
    IF FOUND THEN
        PERFORM handfast_people.restrain(p_user, true);
    END IF;
    RETURN FOUND;
END
$$;
