-- handfast_runs.start_match_run for a caller that has made the canonical form itself (Python's function is
-- the one of record). Not for strangers: nothing here looks whether the form is right.
--
-- Many ask at once. Whoever inserts first wins by the unique index run_active_once; the others wait
-- there until that one has committed, undo the job that they had made, and look again. So does
-- who finds, once the place is its own, that a run had begun and ended since it looked.
CREATE OR REPLACE FUNCTION handfast_runs.start_canonical_run(
    p_input_url     text,
    p_canonical_url text,
    p_fresh         boolean DEFAULT false
) RETURNS TABLE (
    created boolean, run_id uuid, startup_id text, input_url text, canonical_url text,
    status handfast.match_run_status, step handfast.match_run_step, match_count integer, error_code text,
    error_message text, locked_by text, lock_expires_at timestamptz, created_at timestamptz,
    updated_at timestamptz, corpus_version integer
)
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    c_looks   CONSTANT integer := 10;  -- each lost race means that somebody else has made the run
    v_now     timestamptz := handfast_db.now();
    v_url     text := handfast_runs.apply_alias(p_canonical_url);
    v_created boolean := false;
    v_run     uuid;
    v_job     bigint;
    v_lives   boolean;
BEGIN
    IF p_input_url IS NULL OR v_url IS NULL THEN
        RAISE EXCEPTION 'a run needs a URL' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    FOR v_look IN 1 .. c_looks LOOP
        IF NOT coalesce(p_fresh, false) THEN
            v_run := handfast_runs.answered_run(v_url);
            EXIT WHEN v_run IS NOT NULL;
        END IF;
        SELECT r.run_id, l.id IS NOT NULL INTO v_run, v_lives
        FROM handfast_runs.records AS r LEFT JOIN handfast_engine.live_jobs AS l ON l.id = r.job_id
        WHERE r.canonical_url = v_url AND r.ended IS NULL;
        EXIT WHEN v_lives;
        IF FOUND THEN
            -- Its job is gone, by whatever hand: it will never end by itself, and must not block.
            -- Unless it ended in this very moment: then the next look finds that.
            UPDATE handfast_runs.records AS r
            SET ended = 'error', ended_at = v_now, updated_at = v_now, error_code = 'RUN_FAILED',
                error_message = 'Its job is gone.'
            WHERE r.run_id = v_run AND r.ended IS NULL
              AND NOT EXISTS (SELECT 1 FROM handfast_engine.live_jobs AS l WHERE l.id = r.job_id);
            CONTINUE;
        END IF;
        v_run := gen_random_uuid();
        BEGIN
            SELECT e.id INTO v_job FROM handfast_engine.enqueue(
                'runs.match', v_run::text, jsonb_build_object('run_id', v_run), NULL,
                '{"lane": "runs"}'
            ) AS e;
            -- As it was typed, but for the space around, which has no bound.
            INSERT INTO handfast_runs.records (
                run_id, job_id, created_at, updated_at, input_url, canonical_url
            ) VALUES (v_run, v_job, v_now, v_now, btrim(p_input_url, E' \t\r\n'), v_url);
            IF NOT coalesce(p_fresh, false) AND handfast_runs.answered_run(v_url) IS NOT NULL THEN
                RAISE unique_violation;
            END IF;
            v_created := true;
            EXIT;
        EXCEPTION WHEN unique_violation THEN
            v_run := NULL;  -- somebody was faster, and has committed; the job is undone as well
        END;
    END LOOP;
    IF v_run IS NULL THEN
        -- Only in a transaction that cannot see what others commit meanwhile.
        RAISE EXCEPTION 'somebody else has started a run of % in this moment', v_url
            USING ERRCODE = 'serialization_failure', HINT = 'Try again in a new transaction.';
    END IF;
    RETURN QUERY
    SELECT v_created, m.run_id, m.startup_id, m.input_url, m.canonical_url, m.status, m.step,
           m.match_count, m.error_code, m.error_message, m.locked_by, m.lock_expires_at,
           m.created_at, m.updated_at, m.corpus_version
    FROM handfast_runs.match_runs AS m WHERE m.run_id = v_run;
END
$$;
