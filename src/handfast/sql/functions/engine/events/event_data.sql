-- An event by its id; no row if it is no longer kept.
CREATE OR REPLACE FUNCTION handfast_engine.event_data(p_id uuid)
RETURNS TABLE (type text, data jsonb)
LANGUAGE sql STABLE AS $$
    SELECT e.type::text, e.data::jsonb FROM handfast_engine.events AS e WHERE e.id = p_id
$$;
