-- How large a stored payload is at most, without reading it: one that is compressed may be as large as
-- any.
CREATE OR REPLACE FUNCTION handfast_engine.payload_bytes(p_payload jsonb) RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN pg_column_compression(p_payload) IS NULL THEN pg_column_size(p_payload)
                ELSE 393216 END::bigint
$$;
