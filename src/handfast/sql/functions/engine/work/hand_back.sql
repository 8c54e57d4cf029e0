-- Running jobs returned unfinished by a worker that is stopping. It does not count as a failure.
-- The answer names those that were still its own.
CREATE OR REPLACE FUNCTION handfast_engine.hand_back(p_ids bigint[], p_tokens bigint[]) RETURNS bigint[]
LANGUAGE plpgsql AS $$
DECLARE
    v_now   timestamptz := handfast_db.now();
    v_held  handfast_engine.live[];
    v_job   handfast_engine.live;
    v_due   timestamptz;
    v_ids   bigint[] := '{}';
    v_lanes text[] := '{}';
BEGIN
    v_held := ARRAY(
        SELECT l FROM handfast_engine.live AS l
        JOIN unnest(p_ids, p_tokens) AS n(id, token) ON l.id = n.id AND l.token = n.token
        WHERE l.started_at IS NOT NULL ORDER BY l.id FOR UPDATE OF l
    );
    FOREACH v_job IN ARRAY v_held LOOP
        v_ids := v_ids || v_job.id;
        IF v_job.cancelling THEN  -- it stopped, which is what was asked for
            DELETE FROM handfast_engine.live AS l WHERE l.id = v_job.id;
            PERFORM handfast_engine.note_end(v_job, 'cancelled', 'cancelled', v_job.reason);
            CONTINUE;
        END IF;
        v_due := handfast_db.readable(handfast_engine.not_before_anchor(v_job, least(v_job.due_at, v_now)));
        UPDATE handfast_engine.live AS l
        SET state = CASE WHEN v_due > v_now THEN 'scheduled' ELSE 'ready' END::handfast_engine.job_state,
            due_at = v_due, worker = NULL, started_at = NULL, lease_until = NULL
        WHERE l.id = v_job.id;
        INSERT INTO handfast_engine.attempts (
            job_id, token, finished_at, started_at, due_at, worker, attempt, outcome, priority, kind
        ) VALUES (
            v_job.id, v_job.token, v_now, v_job.started_at, v_job.due_at, v_job.worker,
            v_job.attempt, 'handed_back', v_job.priority, v_job.kind
        );
        IF v_job.anchor IS NOT NULL THEN
            PERFORM handfast_engine.follow_anchor(v_job.id);
        END IF;
        IF v_job.anchor IS NULL OR NOT handfast_engine.ended_with_anchor(v_job.id) THEN
            v_lanes := v_lanes || v_job.lane;
        END IF;
    END LOOP;
    DELETE FROM handfast_engine.progress AS p WHERE p.job_id = ANY (v_ids);
    IF cardinality(v_lanes) > 0 THEN
        PERFORM handfast_engine.wake(v_lanes);
    END IF;
    RETURN v_ids;
END
$$;
