-- A prerequisite of this blocked job will not succeed as things stand: handfast_engine.stop_blocked for
-- one.
CREATE OR REPLACE FUNCTION handfast_engine.stop_dependant(p_id bigint, p_reason text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM handfast_engine.stop_blocked(ARRAY[p_id], ARRAY[p_reason]);
END
$$;
