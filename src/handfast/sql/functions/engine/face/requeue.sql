-- Dead letters go back to ready, under their identities. Answers those that were dead.
CREATE OR REPLACE FUNCTION handfast.requeue(ids bigint[]) RETURNS bigint[]
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN handfast_engine.requeue(requeue.ids);
END
$$;
