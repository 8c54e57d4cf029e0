-- For the trigger on endpoints: events are worth an outbox row while any endpoint is active. Whoever
-- starts or stops one takes the consumer's row, and only then looks which are active: of two who do so
-- at once, the second sees what the first did.
CREATE OR REPLACE FUNCTION handfast_webhooks.note_endpoints() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
    v_begins boolean := TG_OP = 'INSERT'
                        OR TG_OP = 'UPDATE' AND NEW.state = 'active' AND OLD.state <> 'active';
    v_stops  boolean := TG_OP = 'DELETE'
                        OR TG_OP = 'UPDATE' AND NEW.state <> 'active' AND OLD.state = 'active';
BEGIN
    IF v_begins THEN
        PERFORM handfast_engine.set_consumer('webhooks', true);
    ELSIF v_stops THEN
        PERFORM handfast_engine.set_consumer('webhooks', true);
        IF NOT EXISTS (SELECT 1 FROM handfast_webhooks.endpoints AS e WHERE e.state = 'active') THEN
            PERFORM handfast_engine.set_consumer('webhooks', false);
        END IF;
    END IF;
    RETURN NULL;
END
$$;
