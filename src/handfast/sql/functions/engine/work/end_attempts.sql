-- How these attempts end, each by its token, in the caller's transaction: succeeded, with its result;
-- failed, as handfast_engine.fail takes it (p_retry_at is the handler's own wish); skipped, because
-- there was nothing to do, with the reason in p_errors. The answer has the state that each job is in
-- now; an attempt that has lost its lease changes nothing and is not in it. All are locked first, in
-- order of id.
CREATE OR REPLACE FUNCTION handfast_engine.end_attempts(
    p_ids bigint[], p_tokens bigint[], p_outcomes text[], p_results jsonb[], p_classes text[],
    p_errors text[], p_traces text[], p_retry_at timestamptz[]
) RETURNS TABLE (id bigint, state text)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    v_ids     bigint[];
    v_tokens  bigint[];
    v_results jsonb[];
    v_one     record;
BEGIN
    SELECT array_agg(n.id ORDER BY n.id), array_agg(n.token ORDER BY n.id) INTO v_ids, v_tokens
    FROM unnest(p_ids, p_tokens) AS n(id, token);
    PERFORM handfast_engine.hold(v_ids, v_tokens);

    SELECT array_agg(n.id ORDER BY n.id), array_agg(n.token ORDER BY n.id),
           CASE WHEN count(n.result) > 0 THEN array_agg(n.result ORDER BY n.id) END
    INTO v_ids, v_tokens, v_results
    FROM unnest(p_ids, p_tokens, p_outcomes, p_results) AS n(id, token, outcome, result)
    WHERE n.outcome = 'succeeded';
    IF v_ids IS NOT NULL THEN
        RETURN QUERY SELECT f.id, 'succeeded'
        FROM unnest(handfast_engine.finish(v_ids, v_tokens, v_results)) AS f(id);
    END IF;
    FOR v_one IN
        SELECT * FROM unnest(p_ids, p_tokens, p_outcomes, p_classes, p_errors, p_traces, p_retry_at)
            AS n(id, token, outcome, class, error, trace, retry_at)
        WHERE n.outcome <> 'succeeded' ORDER BY n.id
    LOOP
        id := v_one.id;
        state := NULL;
        IF v_one.outcome = 'failed' THEN
            state := handfast_engine.fail(v_one.id, v_one.token, v_one.class, v_one.error, v_one.trace,
                                          v_one.retry_at);
        ELSIF v_one.outcome <> 'skipped' THEN
            RAISE EXCEPTION 'an attempt ends as succeeded, failed or skipped, not as %', v_one.outcome
                USING ERRCODE = 'invalid_parameter_value';
        ELSIF cardinality(handfast_engine.hand_back(ARRAY[v_one.id], ARRAY[v_one.token])) = 1 THEN
            -- Only what waits can be skipped. What somebody wanted stopped was cancelled.
            state := CASE WHEN handfast_engine.withdraw(v_one.id, 'skipped', v_one.error)
                          THEN 'skipped' ELSE 'cancelled' END;
        END IF;
        IF state IS NOT NULL THEN
            RETURN NEXT;
        END IF;
    END LOOP;
END
$$;
