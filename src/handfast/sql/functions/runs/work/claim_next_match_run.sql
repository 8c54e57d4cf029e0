-- For a worker that is only a SQL client: the next run, for lease_seconds. No row when none waits.
-- Jobs of other kinds that somebody has put into the lane are not taken, and hide nobody.
-- The token proves the claim to extend_match_run and complete_match_run. The run's version of the
-- corpus and its startup are pinned here; where there is no such startup, error_code says with what
-- to complete the run.
CREATE OR REPLACE FUNCTION handfast_runs.claim_next_match_run(
    worker_id     text,
    lease_seconds integer DEFAULT 300
) RETURNS TABLE (
    run_id uuid, token bigint, attempt integer, input_url text, canonical_url text,
    corpus_version integer, startup_id text, error_code text, lock_expires_at timestamptz
)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    v_job record;
BEGIN
    IF coalesce(worker_id, '') = '' OR length(worker_id) > 200 THEN
        RAISE EXCEPTION 'a worker needs a name of 1 to 200 characters'
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF lease_seconds IS NULL OR lease_seconds NOT BETWEEN 1 AND 86400 THEN
        RAISE EXCEPTION 'a lease is from 1 to 86400 seconds, not %', lease_seconds
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    LOOP
        SELECT c.id, c.token, c.attempt INTO v_job
        FROM handfast_engine.claim(
            NULL, ARRAY['runs'], 1, make_interval(secs => lease_seconds), NULL, ARRAY['runs.match']
        ) AS c;
        IF NOT FOUND THEN
            RETURN;
        END IF;
        UPDATE handfast_runs.records AS r SET locked_by = worker_id
        WHERE r.job_id = v_job.id AND r.ended IS NULL
        RETURNING r.run_id, r.input_url, r.canonical_url INTO run_id, input_url, canonical_url;
        EXIT WHEN FOUND;
        -- A run that has ended, and whose job somebody has requeued. Others may wait behind it.
        PERFORM handfast_engine.finish(ARRAY[v_job.id], ARRAY[v_job.token]);
    END LOOP;
    token := v_job.token;
    attempt := v_job.attempt;
    SELECT p.error_code, p.corpus_version, p.startup_id INTO error_code, corpus_version, startup_id
    FROM handfast_runs.pin_run(run_id, token, false) AS p;
    SELECT l.lease_until INTO lock_expires_at FROM handfast_engine.live_jobs AS l WHERE l.id = v_job.id;
    RETURN NEXT;
END
$$;
