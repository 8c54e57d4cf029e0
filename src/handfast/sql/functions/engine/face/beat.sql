-- Renews the lease of everything that a worker holds. Answers the jobs that it should stop; null when
-- it was given up, and its jobs with it.
CREATE OR REPLACE FUNCTION handfast.beat(
    worker bigint,
    lease  interval DEFAULT '5 minutes'
) RETURNS bigint[]
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN handfast_engine.beat(beat.worker, beat.lease);
END
$$;
