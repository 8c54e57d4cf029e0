-- Pin who takes part in the round of a date, as they are now, who must be kept apart, and who is to
-- be returned to. Whoever comes second finds the plan and changes nothing.
CREATE OR REPLACE FUNCTION handfast_offers.pin_plan(
    p_day date, p_score text, p_selection text, p_settings jsonb
) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    v_now     timestamptz := handfast_db.now();
    v_version integer;
    v_people  integer;
BEGIN
    SELECT max(q.version) INTO v_version FROM handfast_people.scored_questions AS q;
    INSERT INTO handfast_offers.plans (day, pinned_at, question_version, people, score, selection, settings)
    VALUES (p_day, v_now, v_version, 0, p_score, p_selection, p_settings)
    ON CONFLICT (day) DO NOTHING;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    v_people := handfast_offers.pin_members(p_day, NULL);
    UPDATE handfast_offers.plans AS p SET people = v_people WHERE p.day = p_day;

    INSERT INTO handfast_offers.kept_apart (day, low_id, high_id, at_least, live, reason)
    SELECT p_day, k.low_id, k.high_id, k.at_least, k.live, k.reason
    FROM handfast_offers.pairs_apart(p_day, p_settings, NULL) AS k
    JOIN handfast_offers.round_members AS l ON l.day = p_day AND l.user_id = k.low_id
    JOIN handfast_offers.round_members AS h ON h.day = p_day AND h.user_id = k.high_id;

    -- Accepted by one who was not shown to the other: half of a pair is alive.
    INSERT INTO handfast_offers.returns (day, user_id, candidate_id, score)
    SELECT p_day, o.candidate_id, o.user_id, o.score
    FROM handfast_offers.match_offers AS o
    JOIN handfast_offers.kept_apart AS k
        ON k.day = p_day AND k.low_id = least(o.user_id, o.candidate_id)
       AND k.high_id = greatest(o.user_id, o.candidate_id)
       AND k.live = CASE WHEN o.user_id < o.candidate_id THEN 1 ELSE 2 END
    WHERE o.status = 'accepted' AND o.expires_at > v_now;
END
$$;
