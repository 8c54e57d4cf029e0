-- Does an endpoint with this filter want this type? An empty filter wants all; area.* a whole area.
CREATE OR REPLACE FUNCTION handfast_webhooks.wants(p_types text[], p_type text) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
    SELECT p_types = '{}' OR p_type = ANY (p_types)
           OR split_part(p_type, '.', 1) || '.*' = ANY (p_types)
$$;
