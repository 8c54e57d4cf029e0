-- Tells those who sleep that somebody is in line. NOTIFY takes a lock on the whole server at commit, so
-- nobody is told while somebody is awake.
CREATE OR REPLACE FUNCTION handfast_stakes.wake_matchmakers() RETURNS void
LANGUAGE sql AS $$
    SELECT pg_notify('handfast_stakes', '') WHERE EXISTS (
        SELECT 1 FROM handfast_stakes.matchmakers AS m WHERE m.asleep_until > clock_timestamp()
    )
$$;
