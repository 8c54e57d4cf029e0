-- A dead letter: the running job leaves the live table, is kept whole for a person, and an event
-- goes out.
CREATE OR REPLACE FUNCTION handfast_engine.bury(
    p_job handfast_engine.live, p_class text, p_error text, p_trace text
) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_now         timestamptz := handfast_db.now();
    v_depended_on boolean;
BEGIN
    DELETE FROM handfast_engine.live AS l WHERE l.id = p_job.id;
    UPDATE handfast_engine.jobs AS j
    SET state = 'dead', came_from = p_job.state, token = p_job.token, finished_at = v_now
    WHERE j.id = p_job.id
    RETURNING j.depended_on INTO v_depended_on;
    INSERT INTO handfast_engine.attempts (
        job_id, token, finished_at, started_at, due_at, worker, attempt, outcome, priority, kind,
        error_class, error, trace, payload
    ) VALUES (
        p_job.id, p_job.token, v_now, p_job.started_at, p_job.due_at, p_job.worker, p_job.attempt,
        CASE WHEN p_class = 'lost' THEN 'lost' ELSE 'failed' END::handfast_engine.outcome,
        p_job.priority, p_job.kind, p_class, p_error, p_trace, p_job.payload
    );
    INSERT INTO handfast_engine.dead AS d (
        job_id, died_at, kind, key, lane, error_class, error, attempt, job
    ) VALUES (
        p_job.id, v_now, p_job.kind, p_job.key, p_job.lane, p_class, p_error, p_job.attempt,
        to_jsonb(p_job)
    )
    -- Once repaired by itself, always repaired: the next death is a person's.
    ON CONFLICT (job_id) DO UPDATE
    SET died_at = excluded.died_at, error_class = excluded.error_class, error = excluded.error,
        attempt = excluded.attempt, job = excluded.job, discarded_at = NULL, discard_reason = NULL;
    DELETE FROM handfast_engine.progress AS p WHERE p.job_id = p_job.id;
    PERFORM handfast_engine.emit('job.dead', format('job:%s', p_job.id), jsonb_build_object(
        'jobId', p_job.id, 'kind', p_job.kind, 'key', p_job.key, 'lane', p_job.lane,
        'attempts', p_job.attempt, 'errorClass', p_class, 'error', p_error
    ));
    IF v_depended_on THEN
        PERFORM handfast_engine.stop_dependants(p_job.id, format('%s %s is dead', p_job.kind, p_job.key));
    END IF;
END
$$;
