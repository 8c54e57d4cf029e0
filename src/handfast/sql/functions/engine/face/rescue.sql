-- What silent workers held, and what was claimed with a lease that has ended, goes back. Every Handfast
-- worker does it by itself. Answers how many.
CREATE OR REPLACE FUNCTION handfast.rescue(max_jobs integer DEFAULT 500) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN handfast_engine.rescue(rescue.max_jobs);
END
$$;
