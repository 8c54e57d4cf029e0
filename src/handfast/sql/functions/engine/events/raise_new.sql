-- Aggregates that were not there begin above every number that a forgotten one had: it may have been
-- one of these. Answers by how much. Called when they are inserted: whoever forgot one has raised the
-- floor before, and the floor is read as it is now, in any transaction.
CREATE OR REPLACE FUNCTION handfast_engine.raise_new(p_aggregates text[]) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    v_floor bigint := (SELECT f.last_value FROM handfast_engine.aggregate_floor AS f);
BEGIN
    IF v_floor > 0 THEN
        UPDATE handfast_engine.aggregates AS a SET sequence = a.sequence + v_floor
        WHERE a.aggregate = ANY (p_aggregates);
    END IF;
    RETURN v_floor;
END
$$;
