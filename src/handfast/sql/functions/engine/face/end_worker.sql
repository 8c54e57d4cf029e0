-- A worker leaves. What it still held goes back.
CREATE OR REPLACE FUNCTION handfast.end_worker(worker bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM handfast_engine.end_worker(end_worker.worker);
END
$$;
