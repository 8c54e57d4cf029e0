-- These attempts succeeded. Answers the ids that were accepted; the others have lost their lease.
CREATE OR REPLACE FUNCTION handfast.finish_many(
    ids     bigint[],
    tokens  bigint[],
    results jsonb[] DEFAULT NULL
) RETURNS bigint[]
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN handfast_engine.finish(finish_many.ids, finish_many.tokens, finish_many.results);
END
$$;
