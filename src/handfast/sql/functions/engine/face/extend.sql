-- More time, from now, for a claim that was made with a lease of its own. False: too late.
CREATE OR REPLACE FUNCTION handfast.extend(
    id    bigint,
    token bigint,
    lease interval DEFAULT '5 minutes'
) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN handfast_engine.extend(extend.id, extend.token, extend.lease);
END
$$;
