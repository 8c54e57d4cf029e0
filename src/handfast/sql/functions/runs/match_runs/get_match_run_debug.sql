-- Everything that is known of a run, as JSON: the run, each step of each attempt with how long it
-- took, its job, and the attempts that have ended. Null when there is no such run.
CREATE OR REPLACE FUNCTION handfast_runs.get_match_run_debug(run_id uuid) RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (
        SELECT jsonb_build_object(
            'run', to_jsonb(m),
            'steps', (
                SELECT coalesce(jsonb_agg(jsonb_build_object(
                    'token', s.token, 'step', s.step, 'beganAt', s.began_at, 'endedAt', s.ended_at,
                    'milliseconds', extract(epoch FROM s.ended_at - s.began_at) * 1000
                ) ORDER BY s.token, s.step), '[]')
                FROM handfast_runs.steps AS s WHERE s.run_id = get_match_run_debug.run_id
            ),
            'job', (
                SELECT jsonb_build_object(
                    'id', j.id, 'state', coalesce(j.state, l.state),
                    'token', coalesce(l.token, j.token), 'attempt', l.attempt,
                    'failures', l.failures, 'dueAt', l.due_at, 'startedAt', l.started_at,
                    'reason', l.reason, 'finishedAt', j.finished_at
                )
                FROM handfast_engine.known_jobs AS j LEFT JOIN handfast_engine.live_jobs AS l ON l.id = j.id
                WHERE j.id = r.job_id
            ),
            'attempts', (
                SELECT coalesce(jsonb_agg(jsonb_build_object(
                    'token', a.token, 'attempt', a.attempt, 'outcome', a.outcome,
                    'startedAt', a.started_at, 'finishedAt', a.finished_at,
                    'errorClass', a.error_class, 'error', a.error
                ) ORDER BY a.token), '[]')
                FROM handfast_engine.ended_attempts AS a WHERE a.job_id = r.job_id
            )
        )
        FROM handfast_runs.match_runs AS m JOIN handfast_runs.records AS r ON r.run_id = m.run_id
        WHERE m.run_id = get_match_run_debug.run_id
    );
END
$$;
