-- What became of these attempts: the log, the jobs and the endpoints' health, together.
--
-- outcome: delivered; failed (tried again by the policy, not before p_retry_after seconds); refused
-- (we would not send it: no retry can fix that); gone (410: the endpoint is disabled); skipped
-- (nothing was sent, the error says why). An attempt whose token is no longer its job's changes
-- nothing and is not in the answer; of the others it names the job and its state.
CREATE OR REPLACE FUNCTION handfast_webhooks.record_attempts(
    p_jobs bigint[], p_tokens bigint[], p_events uuid[], p_endpoints uuid[], p_attempts integer[],
    p_types text[], p_outcomes text[], p_statuses smallint[], p_seconds real[], p_errors text[],
    p_excerpts text[], p_retry_after double precision[], p_busy integer, p_disable_after interval
) RETURNS TABLE (job_id bigint, state text)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    v_now      timestamptz := handfast_db.now();
    v_ids      bigint[];
    v_states   text[];
    v_one      record;
    v_state    text;
    v_endpoint record;
BEGIN
    v_ids := handfast_engine.finish(
        ARRAY(SELECT a.job FROM unnest(p_jobs, p_outcomes) AS a(job, outcome)
              WHERE a.outcome = 'delivered' ORDER BY a.job),
        ARRAY(SELECT a.token FROM unnest(p_jobs, p_tokens, p_outcomes) AS a(job, token, outcome)
              WHERE a.outcome = 'delivered' ORDER BY a.job)
    );
    v_states := array_fill('succeeded'::text, ARRAY[cardinality(v_ids)]);
    FOR v_one IN
        SELECT a.* FROM unnest(p_jobs, p_tokens, p_endpoints, p_outcomes, p_errors, p_retry_after)
            AS a(job, token, endpoint, outcome, error, retry_after)
        WHERE a.outcome <> 'delivered' ORDER BY a.job
    LOOP
        IF v_one.outcome IN ('gone', 'skipped') THEN
            v_state := NULL;
            IF cardinality(handfast_engine.hand_back(ARRAY[v_one.job], ARRAY[v_one.token])) = 1 THEN
                v_state := CASE WHEN handfast_engine.withdraw(v_one.job, 'skipped', v_one.error)
                                THEN 'skipped' ELSE 'cancelled' END;
            END IF;
        ELSE
            v_state := handfast_engine.fail(
                v_one.job, v_one.token,
                CASE v_one.outcome WHEN 'refused' THEN 'data' ELSE 'transient' END, v_one.error
            );
            IF v_one.retry_after IS NOT NULL AND v_state IN ('scheduled', 'ready') THEN
                PERFORM handfast_engine.postpone(
                    v_one.job, v_now + make_interval(secs => v_one.retry_after), '24 hours'
                );
            END IF;
        END IF;
        IF v_state IS NOT NULL THEN
            v_ids := v_ids || v_one.job;
            v_states := v_states || v_state;
        END IF;
    END LOOP;

    INSERT INTO handfast_webhooks.attempts (
        at, job_id, event_id, endpoint_id, attempt, event_type, outcome, status, seconds, error,
        excerpt
    )
    SELECT v_now, a.job, a.event, a.endpoint, a.attempt, a.type, a.outcome, a.status, a.seconds,
           a.error, a.excerpt
    FROM unnest(p_jobs, p_events, p_endpoints, p_attempts, p_types, p_outcomes, p_statuses,
                p_seconds, p_errors, p_excerpts) WITH ORDINALITY
        AS a(job, event, endpoint, attempt, type, outcome, status, seconds, error, excerpt, ord)
    WHERE a.job = ANY (v_ids) AND a.outcome <> 'skipped'
    ORDER BY a.ord;

    -- Health. An endpoint is written only when it changes. While it fails it gets fewer at once, and
    -- of places that all failing ones share: however many fall silent, those that answer have room.
    IF NOT p_outcomes <@ ARRAY['delivered', 'skipped'] THEN
        PERFORM handfast_engine.make_group('webhooks failing', 32);
    END IF;
    FOR v_endpoint IN
        SELECT e.id, e.failing_since, e.state, h.well, h.gone
        FROM (
            SELECT a.endpoint, bool_or(a.outcome = 'delivered') AS well,
                   bool_or(a.outcome = 'gone') AS gone
            FROM unnest(p_jobs, p_endpoints, p_outcomes) AS a(job, endpoint, outcome)
            WHERE a.job = ANY (v_ids) AND a.outcome <> 'skipped' GROUP BY a.endpoint
        ) AS h
        JOIN handfast_webhooks.endpoints AS e ON e.id = h.endpoint
        WHERE e.failing_since IS NOT NULL OR NOT h.well OR h.gone
        ORDER BY e.id FOR UPDATE OF e
    LOOP
        IF v_endpoint.well <> (v_endpoint.failing_since IS NULL) THEN
            UPDATE handfast_webhooks.endpoints AS e
            SET failing_since = CASE WHEN NOT v_endpoint.well THEN v_now END
            WHERE e.id = v_endpoint.id;
        END IF;
        PERFORM handfast_engine.set_group('webhooks:' || v_endpoint.id,
                                 CASE WHEN v_endpoint.well THEN p_busy ELSE 2 END,
                                 CASE WHEN NOT v_endpoint.well THEN 'webhooks failing' END);
        IF v_endpoint.gone THEN
            PERFORM handfast_webhooks.stop(v_endpoint.id, 'disabled', 'it answered 410 Gone');
        ELSIF NOT v_endpoint.well AND v_endpoint.failing_since <= v_now - p_disable_after THEN
            PERFORM handfast_webhooks.stop(v_endpoint.id, 'disabled', format(
                'nothing but failures since %s UTC',
                to_char(v_endpoint.failing_since AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI')
            ));
        ELSIF v_endpoint.state <> 'active' THEN
            -- Stopped while these were under way: they do not go back to wait for their next try.
            PERFORM handfast_engine.withdraw_group('webhooks:' || v_endpoint.id, 'skipped',
                                          format('the endpoint is %s', v_endpoint.state));
        END IF;
    END LOOP;
    RETURN QUERY SELECT u.id, u.state FROM unnest(v_ids, v_states) AS u(id, state);
END
$$;
