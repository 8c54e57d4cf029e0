-- The caller was told to stop this job, and has. False: it was not the caller's any more.
CREATE OR REPLACE FUNCTION handfast.acknowledge_cancel(
    id    bigint,
    token bigint
) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN handfast_engine.acknowledge_cancel(acknowledge_cancel.id, acknowledge_cancel.token);
END
$$;
