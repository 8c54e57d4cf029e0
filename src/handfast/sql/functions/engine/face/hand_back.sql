-- Returned unfinished, which counts as no failure. False: it was not the caller's any more.
CREATE OR REPLACE FUNCTION handfast.hand_back(
    id    bigint,
    token bigint
) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN cardinality(handfast_engine.hand_back(ARRAY[hand_back.id], ARRAY[hand_back.token])) = 1;
END
$$;
