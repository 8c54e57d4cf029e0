-- Dead letters leave the list, with the reason. Answers those that were on it.
CREATE OR REPLACE FUNCTION handfast.discard(
    ids    bigint[],
    reason text
) RETURNS bigint[]
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN handfast_engine.discard(discard.ids, discard.reason);
END
$$;
