-- A place among the events: what is emitted from now on comes after it, and what was emitted before it.
CREATE OR REPLACE FUNCTION handfast_engine.next_ordinal() RETURNS bigint
LANGUAGE sql AS $$
    SELECT nextval('handfast_engine.event_ordinals')
$$;
