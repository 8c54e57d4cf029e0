-- A worker with a heartbeat instead of a deadline for each claim. Answers its id.
CREATE OR REPLACE FUNCTION handfast.register_worker(
    name  text,
    lanes text[],
    lease interval DEFAULT '5 minutes',
    kinds text[] DEFAULT NULL
) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN handfast_engine.register_worker(
        register_worker.name, register_worker.lanes, register_worker.lease, register_worker.kinds
    );
END
$$;
