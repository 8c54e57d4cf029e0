-- Tells those who sleep until there is something of this name, on its channel. NOTIFY takes a lock on the
-- whole server at commit, so nobody is told while all are awake. PL/pgSQL, as tell_users is.
CREATE OR REPLACE FUNCTION handfast_engine.wake_for(p_what text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('handfast_' || p_what, '') WHERE EXISTS (
        SELECT 1 FROM handfast_engine.sleepers AS s
        WHERE s.waits_for = p_what AND s.until > clock_timestamp()
    );
END
$$;
