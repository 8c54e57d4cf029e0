-- The job that makes a user's set of a date, unless it is there, and the offers that are stored by now.
-- It waits for the round of its date, whose job is enqueued for its time if nobody has.
CREATE OR REPLACE FUNCTION handfast_offers.request_set(p_day date, p_zone text, p_user uuid)
RETURNS TABLE (id uuid, candidate_id uuid, compatibility_score integer, status text,
               offered_at timestamptz, expires_at timestamptz)
LANGUAGE plpgsql
AS $$
DECLARE
    v_due timestamptz;
BEGIN
    SELECT d.due_at INTO v_due FROM handfast_offers.days AS d WHERE d.zone = p_zone AND d.day = p_day;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no sets are due on % in %: days are known from yesterday until the day after tomorrow, for zones with users',
            p_day, p_zone
            USING ERRCODE = 'check_violation', CONSTRAINT = 'offers_day_known';
    END IF;
    IF NOT EXISTS (SELECT 1 FROM handfast_offers.sets AS s
                   WHERE s.day = p_day AND s.user_id = p_user AND s.type = 'daily_offers') THEN
        PERFORM handfast_engine.enqueue(
            'offers.plan', p_day::text, jsonb_build_object('day', p_day),
            (SELECT min(d.due_at) - interval '1 hour' FROM handfast_offers.days AS d WHERE d.day = p_day),
            '{"lane": "offers"}');
        PERFORM handfast_engine.enqueue(
            'offers.daily', p_day || ':' || p_user,
            jsonb_build_object('day', p_day, 'zone', p_zone, 'user_id', p_user), v_due,
            jsonb_build_object('lane', 'offers', 'requires',
                               jsonb_build_array(jsonb_build_array('offers.plan', p_day::text))));
    END IF;
    RETURN QUERY
    SELECT o.id, o.candidate_id, (o.score + 50) / 100, o.status, o.offered_at, o.expires_at
    FROM handfast_offers.match_offers AS o
    WHERE o.user_id = p_user AND o.day = p_day
    ORDER BY o.place;
END
$$;
