-- Jobs whose time has come become ready. Every Handfast worker does it by itself. Answers how many.
CREATE OR REPLACE FUNCTION handfast.promote(max_jobs integer DEFAULT 5000) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (SELECT p.promoted FROM handfast_engine.promote(promote.max_jobs) AS p);
END
$$;
