-- Tells those who sleep that there are events; relays only if something was put in the outbox.
-- PL/pgSQL, as tell_users is.
CREATE OR REPLACE FUNCTION handfast_engine.wake_for_events(p_outbox boolean) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('handfast_' || s.waits_for, '') FROM handfast_engine.sleepers AS s
    WHERE s.until > clock_timestamp() AND (s.waits_for = 'events' OR p_outbox AND s.waits_for = 'outbox');
END
$$;
