-- Tells those who sleep that there are events; relays only if something was put in the outbox.
CREATE OR REPLACE FUNCTION handfast_engine.wake_for_events(p_outbox boolean) RETURNS void
LANGUAGE sql AS $$
    SELECT pg_notify('handfast_' || s.waits_for, '') FROM handfast_engine.sleepers AS s
    WHERE s.until > clock_timestamp() AND (p_outbox OR s.waits_for = 'events')
$$;
