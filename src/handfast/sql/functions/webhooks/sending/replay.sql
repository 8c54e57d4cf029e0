-- Send again, to one endpoint: one event, or those of a time range that its filter wants; with
-- p_missing only those of which no delivery has succeeded or is under way. Deliveries is null, and
-- nothing is enqueued, when there are more than p_limit.
CREATE OR REPLACE FUNCTION handfast_webhooks.replay(
    p_endpoint uuid, p_event uuid, p_since timestamptz, p_until timestamptz, p_missing boolean,
    p_limit integer
) RETURNS TABLE (replay bigint, deliveries integer)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    v_replay bigint;
    v_events uuid[];
    v_count  integer := 0;
BEGIN
    IF p_event IS NOT NULL THEN
        v_events := ARRAY[p_event];
    ELSE
        v_events := ARRAY(
            SELECT e.id FROM handfast_engine.emitted_events AS e
            JOIN handfast_webhooks.endpoints AS p ON p.id = p_endpoint
            WHERE e.at >= p_since AND e.at < p_until AND handfast_webhooks.wants(p.types, e.type)
              AND NOT (p_missing AND EXISTS (
                  SELECT 1 FROM handfast_engine.known_jobs AS j
                  WHERE j.kind = 'webhooks.deliver'
                    -- The delivery itself and its replays, by a prefix: ';' comes after ':'.
                    AND j.key >= format('%s:%s', e.id, p_endpoint)
                    AND j.key < format('%s:%s;', e.id, p_endpoint)
                    AND (j.state IS NULL OR j.state = 'succeeded')
              ))
            ORDER BY e.at, e.sequence
            LIMIT p_limit + 1
        );
    END IF;
    INSERT INTO handfast_webhooks.replays (endpoint_id, asked_at, event_id, since, until)
    VALUES (p_endpoint, handfast_db.now(), p_event, p_since, p_until)
    RETURNING id INTO v_replay;
    IF cardinality(v_events) > p_limit THEN
        RETURN QUERY SELECT v_replay, NULL::integer;
        RETURN;
    END IF;
    IF cardinality(v_events) > 0 THEN
        v_count := handfast_webhooks.enqueue(p_endpoint, v_events, ':replay:' || v_replay, 20);
    END IF;
    UPDATE handfast_webhooks.replays AS r SET deliveries = v_count WHERE r.id = v_replay;
    RETURN QUERY SELECT v_replay, v_count;
END
$$;
