-- Place or move an anchor, with every waiting job on it. Answers how many moved.
CREATE OR REPLACE FUNCTION handfast.set_anchor(
    name text,
    at   timestamptz
) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN handfast_engine.set_anchor(set_anchor.name, set_anchor.at);
END
$$;
