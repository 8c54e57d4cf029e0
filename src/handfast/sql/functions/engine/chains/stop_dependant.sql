-- A prerequisite of this blocked job will not succeed as things stand. By its kind's policy the job
-- is skipped, or stays blocked with the reason shown until the prerequisite is requeued. The class of
-- its last attempt says how: prerequisite_dead, or prerequisite_withdrawn if all of those that stop it
-- were skipped or cancelled, and so may come back.
CREATE OR REPLACE FUNCTION handfast_engine.stop_dependant(p_id bigint, p_reason text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_kind text;
BEGIN
    UPDATE handfast_engine.live AS l SET reason = 'prerequisite ' || p_reason
    WHERE l.id = p_id AND l.state = 'blocked'
    RETURNING l.kind INTO v_kind;
    IF FOUND AND EXISTS (
        SELECT 1 FROM handfast_engine.kinds AS k
        WHERE k.kind = v_kind AND k.on_prerequisite_death = 'skip'
    ) THEN
        PERFORM handfast_engine.withdraw(p_id, 'skipped', 'prerequisite ' || p_reason);
        UPDATE handfast_engine.attempts AS a
        SET error_class = CASE WHEN EXISTS (
                SELECT 1 FROM handfast_engine.prerequisites AS p JOIN handfast_engine.jobs AS r ON r.id = p.requires_id
                WHERE p.job_id = p_id AND r.state = 'dead'
            ) THEN 'prerequisite_dead' ELSE 'prerequisite_withdrawn' END
        FROM handfast_engine.jobs AS j
        WHERE j.id = p_id AND a.job_id = j.id AND a.finished_at = j.finished_at
          AND a.token = j.token AND a.outcome = 'skipped';
    END IF;
END
$$;
