-- Whether a consumer wants a row in the outbox for each event from now on. Holds the consumer's row until
-- the commit, so that of two who change it one sees what the other did.
CREATE OR REPLACE FUNCTION handfast_engine.set_consumer(p_name text, p_active boolean) RETURNS void
LANGUAGE sql AS $$
    INSERT INTO handfast_engine.outbox_consumers (name, active) VALUES (p_name, p_active)
    ON CONFLICT (name) DO UPDATE SET active = excluded.active
$$;
