-- An event, written in the transaction that caused it, numbered within its aggregate.
CREATE OR REPLACE FUNCTION handfast_engine.emit(p_type text, p_aggregate text, p_data jsonb) RETURNS uuid
LANGUAGE plpgsql AS $$
DECLARE
    v_id       uuid := gen_random_uuid();
    v_sequence bigint;
BEGIN
    INSERT INTO handfast_engine.aggregates AS a (aggregate, sequence) VALUES (p_aggregate, 1)
    ON CONFLICT (aggregate) DO UPDATE SET sequence = a.sequence + 1
    RETURNING a.sequence INTO v_sequence;

    INSERT INTO handfast_engine.events (id, at, sequence, type, aggregate, data)
    VALUES (v_id, handfast_db.now(), v_sequence, p_type, p_aggregate, p_data);
    PERFORM pg_notify('handfast_event', p_type);
    RETURN v_id;
END
$$;
