-- A live row has just been deleted: write down how the job ended, and tell its dependants.
CREATE OR REPLACE FUNCTION handfast_engine.note_end(
    p_job handfast_engine.live, p_state handfast_engine.job_state, p_outcome handfast_engine.outcome, p_reason text
) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_now         timestamptz := handfast_db.now();
    v_depended_on boolean;
BEGIN
    UPDATE handfast_engine.jobs AS j
    SET state = p_state, came_from = p_job.state, token = p_job.token, finished_at = v_now
    WHERE j.id = p_job.id
    RETURNING j.depended_on INTO v_depended_on;
    INSERT INTO handfast_engine.attempts (
        job_id, token, finished_at, started_at, due_at, worker, attempt, outcome, priority, kind,
        version, lane, error, payload
    ) VALUES (
        p_job.id, p_job.token, v_now, p_job.started_at, p_job.due_at, p_job.worker, p_job.attempt,
        p_outcome, p_job.priority, p_job.kind, p_job.version, p_job.lane, p_reason,
        p_job.payload
    );
    DELETE FROM handfast_engine.progress AS p WHERE p.job_id = p_job.id;
    IF v_depended_on THEN
        PERFORM handfast_engine.stop_dependants(
            p_job.id, format('%s %s is %s', p_job.kind, p_job.key, p_state)
        );
    END IF;
END
$$;
