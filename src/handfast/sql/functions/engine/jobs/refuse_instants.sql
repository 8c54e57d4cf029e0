-- Raises, and says which, if one of these cannot be stored: the thing p_what p_names[i] at p_ats[i].
CREATE OR REPLACE FUNCTION handfast_engine.refuse_instants(p_what text, p_names text[], p_ats timestamptz[])
RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_name text;
    v_at   timestamptz;
BEGIN
    SELECT n.name, n.at INTO v_name, v_at
    FROM unnest(p_names, p_ats) AS n(name, at) WHERE NOT handfast_db.is_instant(n.at) LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION '% % cannot be at %: an instant is from 0001-01-02 until before 9999-12-31',
            p_what, v_name, v_at
            USING ERRCODE = 'check_violation', CONSTRAINT = 'instant_in_range';
    END IF;
END
$$;
