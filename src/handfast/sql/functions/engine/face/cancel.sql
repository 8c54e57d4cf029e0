-- A waiting job is cancelled now, a running one is told to stop. Answers the state afterwards, null if
-- there is no such job.
CREATE OR REPLACE FUNCTION handfast.cancel(
    id     bigint,
    reason text DEFAULT NULL
) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN handfast_engine.cancel(cancel.id, cancel.reason);
END
$$;
