-- For the trigger on handfast_engine.events: one delivery for each event and each active endpoint that wants
-- it, in the transaction that emits. Without endpoints it is one look at an empty table.
--
-- The death of a delivery is an event too (job.dead), and would be delivered, and could die, for
-- ever, and with several dead endpoints as a flood that grows. So it is told to the other endpoints
-- only, and the death of that message is told to nobody: it is a dead letter, and an alert counts
-- those.
CREATE OR REPLACE FUNCTION handfast_webhooks.fan_out() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
    v_endpoint record;
    v_events   uuid[];
BEGIN
    FOR v_endpoint IN
        SELECT e.id, e.types FROM handfast_webhooks.endpoints AS e WHERE e.state = 'active' ORDER BY e.id
    LOOP
        SELECT array_agg(n.id) INTO v_events
        FROM emitted AS n
        WHERE handfast_webhooks.wants(v_endpoint.types, n.type)
          AND CASE
                  WHEN n.type = 'job.dead' AND n.data ->> 'kind' = 'webhooks.deliver'
                       AND n.data ->> 'key' ~
                           '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}:[0-9a-f-]{36}' THEN
                      split_part(n.data ->> 'key', ':', 2) <> v_endpoint.id::text
                      AND NOT EXISTS (
                          SELECT 1 FROM handfast_engine.events AS o
                          WHERE o.id = left(n.data ->> 'key', 36)::uuid AND o.type = 'job.dead'
                            AND o.data ->> 'kind' = 'webhooks.deliver'
                      )
                  ELSE true
              END;
        IF v_events IS NOT NULL THEN
            PERFORM handfast_webhooks.enqueue(v_endpoint.id, v_events, '', 10);
        END IF;
    END LOOP;
    RETURN NULL;
END
$$;
