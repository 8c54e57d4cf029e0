-- An event in the caller's transaction, numbered within its aggregate. Answers its id.
CREATE OR REPLACE FUNCTION handfast.emit(
    type      text,
    aggregate text,
    data      jsonb DEFAULT '{}'
) RETURNS uuid
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN handfast_engine.emit(emit.type, emit.aggregate, emit.data);
END
$$;
