-- Events that the engine's outbox holds become deliveries: one for each event and each active endpoint
-- that wants it and is older than the event. Taking them off the outbox is part of the same
-- transaction, and a delivery is known by its event and endpoint, so each is made once. Answers how
-- many events were taken.
--
-- Nothing is locked: events are taken first and endpoints read after that, so an event that was
-- emitted while an endpoint was paused finds it paused here too, or resumed since a later ordinal.
--
-- The death of a delivery is an event too (job.dead), and would be delivered, and could die, for
-- ever, and with several dead endpoints as a flood that grows. So it is told to the other endpoints
-- only, and the death of that message is told to nobody: it is a dead letter, and an alert counts
-- those.
CREATE OR REPLACE FUNCTION handfast_webhooks.relay(p_limit integer) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
    v_ordinals bigint[];
    v_events   uuid[];
    v_types    text[];
    v_failed   text[];
    v_endpoint record;
    v_wanted   uuid[];
    v_count    integer;
BEGIN
    SELECT count(*), array_agg(t.ordinal), array_agg(t.event_id), array_agg(t.type),
           array_agg(handfast_webhooks.failed_endpoint(t.type, t.data))
    INTO v_count, v_ordinals, v_events, v_types, v_failed
    FROM handfast_engine.take_outbox('webhooks', p_limit) AS t;
    IF v_count = 0 THEN
        RETURN 0;
    END IF;
    FOR v_endpoint IN
        SELECT e.id, e.types, e.since FROM handfast_webhooks.endpoints AS e
        WHERE e.state = 'active' ORDER BY e.id
    LOOP
        SELECT array_agg(t.event_id ORDER BY t.ordinal) INTO v_wanted
        FROM unnest(v_ordinals, v_events, v_types, v_failed) AS t(ordinal, event_id, type, failed)
        WHERE t.ordinal > v_endpoint.since AND t.type IS NOT NULL
          AND handfast_webhooks.wants(v_endpoint.types, t.type)
          AND (t.failed IS NULL OR t.failed NOT IN ('nobody', v_endpoint.id::text));
        IF v_wanted IS NOT NULL THEN
            PERFORM handfast_webhooks.enqueue(v_endpoint.id, v_wanted, '', 10);
        END IF;
    END LOOP;
    RETURN v_count;
END
$$;
