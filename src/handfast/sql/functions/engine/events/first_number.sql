-- The first number of an aggregate that was not there: see handfast_engine.raise_new. Of two who come
-- at once, one gets the second.
CREATE OR REPLACE FUNCTION handfast_engine.first_number(p_aggregate text, p_now timestamptz)
RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    v_sequence bigint;
BEGIN
    INSERT INTO handfast_engine.aggregates AS a (aggregate, sequence, emitted_at, latest)
    VALUES (p_aggregate, 1, p_now, 1)
    ON CONFLICT (aggregate) DO UPDATE
    SET sequence = a.sequence + 1, emitted_at = excluded.emitted_at, latest = 1
    RETURNING a.sequence INTO v_sequence;
    IF v_sequence = 1 THEN
        v_sequence := 1 + handfast_engine.raise_new(ARRAY[p_aggregate]);
    END IF;
    RETURN v_sequence;
END
$$;
