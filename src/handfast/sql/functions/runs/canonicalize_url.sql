-- A stand-in until the real one is merged.
CREATE OR REPLACE FUNCTION runs.canonicalize_url(p_url text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_rest text := regexp_replace(trim(p_url), '^https?://', '', 'i');
BEGIN
    v_rest := split_part(split_part(v_rest, '#', 1), '?', 1);
    v_rest := regexp_replace(lower(v_rest), '^www\.', '');
    v_rest := regexp_replace(regexp_replace(v_rest, ':(80|443)(?=/|$)', ''), '/+$', '');
    IF v_rest !~ '^[a-z0-9-]+(\.[a-z0-9-]+)+(:[0-9]+)?(/[^ ]*)?$' OR length(p_url) > 2048 THEN
        RAISE EXCEPTION 'that is not the URL of a company' USING ERRCODE = 'HF002';
    END IF;
    RETURN 'https://' || v_rest;
END
$$;
