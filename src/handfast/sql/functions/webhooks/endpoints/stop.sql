-- An endpoint gets nothing more until it is resumed: p_state is paused or disabled. What waits for
-- it is skipped, with the reason, and can be replayed: 10,000 at once, the rest with the first of it
-- that is due (handfast_webhooks.record_attempts). Answers how many at once; null if it was not active
-- (any more).
CREATE OR REPLACE FUNCTION handfast_webhooks.stop(p_endpoint uuid, p_state text, p_reason text)
RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
    v_now     timestamptz := handfast_db.now();
    v_skipped integer;
    v_url     text;
BEGIN
    UPDATE handfast_webhooks.endpoints AS e
    SET state = p_state, reason = p_reason, state_since = v_now
    WHERE e.id = p_endpoint AND e.state = 'active'
    RETURNING e.url INTO v_url;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    v_skipped := handfast_engine.withdraw_group(
        'webhooks:' || p_endpoint, 'skipped', format('the endpoint is %s: %s', p_state, p_reason)
    );
    IF p_state = 'disabled' THEN  -- nobody asked for it, so somebody has to be told
        PERFORM handfast_engine.emit(
            'webhook.endpoint_disabled', 'endpoint:' || p_endpoint,
            jsonb_build_object(
                'endpointId', p_endpoint, 'url', v_url, 'reason', p_reason, 'skipped', v_skipped
            )
        );
    END IF;
    RETURN v_skipped;
END
$$;
