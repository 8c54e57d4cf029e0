-- Pin people into the snapshot of a plan as they are now: everybody of the pool who answered the
-- plan's questions, or these, who come late. Answers how many were new.
CREATE OR REPLACE FUNCTION handfast_offers.pin_members(p_day date, p_late uuid[]) RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
    v_people integer;
BEGIN
    INSERT INTO handfast_offers.round_members
        (day, user_id, birth_date, place_x, place_y, place_z, min_age, max_age, max_distance_km, places,
         late, gender, seeking, intent, answers)
    SELECT p_day, p.id, p.birth_date, p.place_x, p.place_y, p.place_z, p.min_age, p.max_age,
           p.max_distance_km,
           greatest(0, least((n.settings ->> 'per_day')::integer,
                             (n.settings ->> 'active_matches')::integer - coalesce(m.active, 0))),
           p_late IS NOT NULL, p.gender, p.seeking, p.relationship_intent, p.answers
    FROM handfast_offers.plans AS n
    JOIN handfast_people.pool AS p ON p.version = n.question_version
    LEFT JOIN (
        SELECT one.id, count(*) AS active
        FROM handfast_offers.matches AS m
        CROSS JOIN LATERAL (VALUES (m.low_id), (m.high_id)) AS one (id)
        WHERE m.closed_at IS NULL
          AND (p_late IS NULL OR m.low_id = ANY (p_late) OR m.high_id = ANY (p_late))
        GROUP BY one.id
    ) AS m ON m.id = p.id
    WHERE n.day = p_day AND (p_late IS NULL OR p.id = ANY (p_late))
    ON CONFLICT (day, user_id) DO NOTHING;
    GET DIAGNOSTICS v_people = ROW_COUNT;
    RETURN v_people;
END
$$;
