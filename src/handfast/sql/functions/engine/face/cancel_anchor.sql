-- Cancels every waiting job on an anchor, until it is set again. Answers how many.
CREATE OR REPLACE FUNCTION handfast.cancel_anchor(
    name   text,
    reason text DEFAULT NULL
) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN handfast_engine.cancel_anchor(cancel_anchor.name, cancel_anchor.reason);
END
$$;
