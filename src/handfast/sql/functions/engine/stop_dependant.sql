-- A prerequisite of this blocked job will not succeed as things stand. By its kind's policy the job
-- is skipped, or stays blocked with the reason shown until the prerequisite is requeued.
CREATE OR REPLACE FUNCTION engine.stop_dependant(p_id bigint, p_reason text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_kind text;
BEGIN
    UPDATE engine.live AS l SET reason = 'prerequisite ' || p_reason
    WHERE l.id = p_id AND l.state = 'blocked'
    RETURNING l.kind INTO v_kind;
    IF FOUND AND EXISTS (
        SELECT 1 FROM engine.kinds AS k
        WHERE k.kind = v_kind AND k.on_prerequisite_death = 'skip'
    ) THEN
        PERFORM engine.withdraw(p_id, 'skipped', 'prerequisite ' || p_reason);
    END IF;
END
$$;
