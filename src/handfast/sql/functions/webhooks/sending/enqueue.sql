-- Deliveries of these events to one endpoint. The key is the event and the endpoint, and for a
-- replay its number too: a replay must not be taken for the delivery that has been made already.
-- The endpoint is the concurrency group, so that a slow one holds up only itself.
CREATE OR REPLACE FUNCTION handfast_webhooks.enqueue(
    p_endpoint uuid, p_events uuid[], p_suffix text, p_priority integer
) RETURNS integer
LANGUAGE sql AS $$
    SELECT count(*) FILTER (WHERE m.created)::integer
    FROM handfast_engine.enqueue_many(
        'webhooks.deliver',
        ARRAY(SELECT format('%s:%s%s', e.id, p_endpoint, p_suffix)
              FROM unnest(p_events) WITH ORDINALITY AS e(id, ord) ORDER BY e.ord),
        ARRAY(SELECT jsonb_build_object('event_id', e.id, 'endpoint_id', p_endpoint)
              FROM unnest(p_events) WITH ORDINALITY AS e(id, ord) ORDER BY e.ord),
        NULL,
        jsonb_build_object(
            'lane', 'webhooks', 'group', 'webhooks:' || p_endpoint, 'priority', p_priority,
            'version', 1
        )
    ) AS m
$$;
