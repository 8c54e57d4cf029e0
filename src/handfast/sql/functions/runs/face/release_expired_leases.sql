-- What every Handfast worker does by itself: see handfast_runs.release_expired_leases.
CREATE OR REPLACE FUNCTION handfast.release_expired_leases() RETURNS integer
LANGUAGE sql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
    SELECT handfast_runs.release_expired_leases()
$$;
