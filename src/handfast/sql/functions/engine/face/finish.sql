-- This attempt succeeded, in the caller's transaction. False: the lease was lost, and nothing changed.
CREATE OR REPLACE FUNCTION handfast.finish(
    id     bigint,
    token  bigint,
    result jsonb DEFAULT NULL
) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN cardinality(handfast_engine.finish(
        ARRAY[finish.id], ARRAY[finish.token],
        CASE WHEN finish.result IS NOT NULL THEN ARRAY[finish.result] END
    )) = 1;
END
$$;
