-- What the engine does by itself every second or so: jobs whose worker has died, or whose deadline
-- has passed, go back. Nobody needs to call it; answers how many were taken back.
CREATE OR REPLACE FUNCTION handfast_runs.release_expired_leases() RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN handfast_engine.rescue(1000);
END
$$;
