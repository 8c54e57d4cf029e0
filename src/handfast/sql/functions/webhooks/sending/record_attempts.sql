-- What became of these attempts: the log and the endpoints' health. In the transaction that has just
-- ended their jobs (engine/work/shared_completion.py); p_states are those that the jobs are in now.
--
-- outcome: delivered; failed (tried again by the policy, not before p_retry_after seconds); refused
-- (we would not send it: no retry can fix that); gone (410: the endpoint is disabled); skipped
-- (nothing was sent, the error says why).
--
-- What waits for an endpoint that is stopped or was removed goes in pieces of 10,000
-- (handfast_engine.withdraw_group): the next with each of its attempts that are still made or skipped.
-- Once that many have gone in one call, the others are left to their next attempts, and so is
-- stopping them: however many endpoints stop at once, this is a statement that ends.
CREATE OR REPLACE FUNCTION handfast_webhooks.record_attempts(
    p_jobs bigint[], p_states text[], p_events uuid[], p_endpoints uuid[], p_attempts integer[],
    p_types text[], p_outcomes text[], p_statuses smallint[], p_seconds real[], p_errors text[],
    p_excerpts text[], p_retry_after double precision[], p_busy integer, p_disable_after interval
) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_max      CONSTANT integer := 10000;
    v_now      timestamptz := handfast_db.now();
    v_ended    integer := 0;
    v_endpoint record;
BEGIN
    PERFORM handfast_engine.postpone(a.job, v_now + make_interval(secs => a.retry_after), '24 hours')
    FROM unnest(p_jobs, p_states, p_retry_after) AS a(job, state, retry_after)
    WHERE a.retry_after IS NOT NULL AND a.state IN ('scheduled', 'ready');

    INSERT INTO handfast_webhooks.attempts (
        at, job_id, event_id, endpoint_id, attempt, event_type, outcome, status, seconds, error,
        excerpt
    )
    SELECT v_now, a.job, a.event, a.endpoint, a.attempt, a.type, a.outcome, a.status, a.seconds,
           a.error, a.excerpt
    FROM unnest(p_jobs, p_events, p_endpoints, p_attempts, p_types, p_outcomes, p_statuses,
                p_seconds, p_errors, p_excerpts) WITH ORDINALITY
        AS a(job, event, endpoint, attempt, type, outcome, status, seconds, error, excerpt, ord)
    WHERE a.outcome <> 'skipped'
    ORDER BY a.ord;

    -- Health. An endpoint is written only when it changes. While it fails it gets fewer at once, and
    -- of places that all failing ones share: however many fall silent, those that answer have room.
    IF NOT p_outcomes <@ ARRAY['delivered', 'skipped'] THEN
        PERFORM handfast_engine.make_group('webhooks failing', 32);
    END IF;
    FOR v_endpoint IN
        SELECT e.id, e.failing_since, e.state, e.reason, h.tried, h.well, h.gone
        FROM (
            SELECT a.endpoint, bool_or(a.outcome <> 'skipped') AS tried,
                   bool_or(a.outcome = 'delivered') AS well, bool_or(a.outcome = 'gone') AS gone
            FROM unnest(p_endpoints, p_outcomes) AS a(endpoint, outcome)
            GROUP BY a.endpoint
        ) AS h
        JOIN handfast_webhooks.endpoints AS e ON e.id = h.endpoint
        WHERE CASE WHEN h.tried THEN e.failing_since IS NOT NULL OR NOT h.well OR h.gone
                   ELSE e.state <> 'active' END
        ORDER BY e.id FOR UPDATE OF e
    LOOP
        IF v_endpoint.tried THEN
            IF v_endpoint.well <> (v_endpoint.failing_since IS NULL) THEN
                UPDATE handfast_webhooks.endpoints AS e
                SET failing_since = CASE WHEN NOT v_endpoint.well THEN v_now END
                WHERE e.id = v_endpoint.id;
            END IF;
            PERFORM handfast_engine.set_group('webhooks:' || v_endpoint.id,
                                     CASE WHEN v_endpoint.well THEN p_busy ELSE 2 END,
                                     CASE WHEN NOT v_endpoint.well THEN 'webhooks failing' END);
        END IF;
        CONTINUE WHEN v_ended >= v_max;
        IF v_endpoint.state <> 'active' THEN
            -- Stopped while these were under way: they do not go back to wait for their next try.
            v_ended := v_ended + handfast_engine.withdraw_group(
                'webhooks:' || v_endpoint.id, 'skipped',
                format('the endpoint is %s: %s', v_endpoint.state, v_endpoint.reason)
            );
        ELSIF v_endpoint.gone THEN
            v_ended := v_ended + handfast_webhooks.stop(
                v_endpoint.id, 'disabled', 'it answered 410 Gone'
            );
        ELSIF NOT v_endpoint.well AND v_endpoint.failing_since <= v_now - p_disable_after THEN
            v_ended := v_ended + handfast_webhooks.stop(v_endpoint.id, 'disabled', format(
                'nothing but failures since %s UTC',
                to_char(v_endpoint.failing_since AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI')
            ));
        END IF;
    END LOOP;
    FOR v_endpoint IN
        SELECT DISTINCT a.endpoint AS id FROM unnest(p_endpoints, p_outcomes) AS a(endpoint, outcome)
        WHERE a.outcome = 'skipped' AND NOT EXISTS (
            SELECT 1 FROM handfast_webhooks.endpoints AS e WHERE e.id = a.endpoint
        )
    LOOP
        EXIT WHEN v_ended >= v_max;
        v_ended := v_ended + handfast_engine.withdraw_group('webhooks:' || v_endpoint.id, 'skipped',
                                                   'the endpoint was removed');
    END LOOP;
END
$$;
