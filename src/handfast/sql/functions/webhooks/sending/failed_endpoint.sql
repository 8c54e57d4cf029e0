-- Whom not to tell of an event: the endpoint whose delivery has died, if that is what it says; nobody
-- is to be told if what could not be delivered was such a message itself. Null for everything else.
CREATE OR REPLACE FUNCTION handfast_webhooks.failed_endpoint(p_type text, p_data jsonb) RETURNS text
LANGUAGE plpgsql STABLE AS $$
DECLARE
    v_key text := p_data ->> 'key';
BEGIN
    IF p_type IS DISTINCT FROM 'job.dead' OR p_data ->> 'kind' IS DISTINCT FROM 'webhooks.deliver'
       OR v_key IS NULL
       OR v_key !~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}:[0-9a-f-]{36}' THEN
        RETURN NULL;
    ELSIF EXISTS (
        SELECT 1 FROM handfast_engine.event_data(left(v_key, 36)::uuid) AS o
        WHERE o.type = 'job.dead' AND o.data ->> 'kind' = 'webhooks.deliver'
    ) THEN
        RETURN 'nobody';
    END IF;
    RETURN split_part(v_key, ':', 2);
END
$$;
