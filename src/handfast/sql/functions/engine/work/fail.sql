-- This attempt failed. p_class: transient, timeout, lost (its lease), logic, data, payload; batch (a
-- whole batch call failed: it counts for nobody, each job runs again by itself). The kind's policy
-- decides between another try and a dead letter; p_retry_at is the handler's own wish and is not a
-- failure. Null when the token is no longer ours.
CREATE OR REPLACE FUNCTION handfast_engine.fail(
    p_id bigint, p_token bigint, p_class text, p_error text, p_trace text DEFAULT NULL,
    p_retry_at timestamptz DEFAULT NULL
) RETURNS handfast_engine.job_state
LANGUAGE plpgsql AS $$
DECLARE
    v_now     timestamptz := handfast_db.now();
    v_job     handfast_engine.live;
    v_counts  boolean := p_retry_at IS NULL AND p_class <> 'batch';
    v_policy  jsonb;
    v_again   timestamptz;
    v_due     timestamptz;
    v_state   handfast_engine.job_state;
BEGIN
    SELECT * INTO v_job FROM handfast_engine.live AS l
    WHERE l.id = p_id AND l.token = p_token
      AND l.started_at IS NOT NULL  -- running, said so that no index but the key comes to mind
    FOR UPDATE;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    IF v_job.cancelling THEN  -- somebody wants it stopped: it does not run again
        DELETE FROM handfast_engine.live AS l WHERE l.id = p_id;
        PERFORM handfast_engine.note_end(v_job, 'cancelled', 'cancelled',
            concat_ws('; ', v_job.reason, left(p_error, 500)));
        RETURN 'cancelled';
    END IF;
    IF v_counts THEN
        v_job.failures := v_job.failures + 1;
        v_policy := (SELECT k.policy FROM handfast_engine.kinds AS k WHERE k.kind = v_job.kind);
        IF p_class = 'lost' AND (v_policy #>> '{transient,from_start}') IS DISTINCT FROM 'true' THEN
            -- Its lease had to end before anybody came for it, which may be all the time that its
            -- policy has: what it took is the try, and the time begins anew. A policy whose tries
            -- have their places in a day keeps to that day.
            v_policy := v_policy #- '{transient,within}';
            v_job.first_start_at := NULL;
        END IF;
        SELECT handfast_engine.retry_at(
            v_policy, p_class, v_job.failures, v_job.first_due_at, v_job.first_start_at, v_now
        ) INTO v_again;
        IF v_again IS NULL THEN
            PERFORM handfast_engine.bury(v_job, p_class, p_error, p_trace);
            RETURN 'dead';
        END IF;
    END IF;
    -- What was rescued, or failed with a batch, keeps its place: nothing is wrong with it as far
    -- as we know.
    v_due := CASE
        WHEN p_retry_at IS NOT NULL THEN p_retry_at
        WHEN p_class IN ('lost', 'batch') THEN least(v_job.due_at, v_now)
        ELSE v_again
    END;
    -- A wait that leads past the end of time is a wait; to refuse it would lose the failure.
    v_due := handfast_db.readable(handfast_engine.not_before_anchor(v_job, v_due));
    v_state := CASE WHEN v_due > v_now THEN 'scheduled' ELSE 'ready' END;
    UPDATE handfast_engine.live AS l
    SET state = v_state, due_at = v_due,
        failures = v_job.failures, first_start_at = v_job.first_start_at,
        worker = NULL, started_at = NULL, lease_until = NULL,
        alone = l.alone OR p_class = 'batch',
        reason = left(p_error, 500)
    WHERE l.id = p_id;
    INSERT INTO handfast_engine.attempts (
        job_id, token, finished_at, started_at, due_at, worker, attempt, outcome, priority, kind,
        error_class, error, trace
    ) VALUES (
        v_job.id, v_job.token, v_now, v_job.started_at, v_job.due_at, v_job.worker, v_job.attempt,
        CASE WHEN p_class = 'lost' THEN 'lost' WHEN v_counts THEN 'failed'
             WHEN p_class = 'batch' THEN 'failed' ELSE 'snoozed' END::handfast_engine.outcome,
        v_job.priority, v_job.kind, p_class, p_error, p_trace
    );
    DELETE FROM handfast_engine.progress AS p WHERE p.job_id = p_id;
    IF v_job.anchor IS NOT NULL THEN
        PERFORM handfast_engine.follow_anchor(p_id);
        IF handfast_engine.ended_with_anchor(p_id) THEN
            RETURN 'cancelled';
        END IF;
    END IF;
    IF v_state = 'ready' THEN
        PERFORM handfast_engine.wake(ARRAY[v_job.lane], ARRAY[v_job.kind]);
    END IF;
    RETURN v_state;
END
$$;
