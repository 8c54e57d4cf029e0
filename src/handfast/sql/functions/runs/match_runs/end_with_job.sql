-- The trigger of handfast_engine.watch_ends: the job of a run has ended in a way that is not the run's
-- own, so the run has failed, in the same transaction. One that has ended before stays as it is.
CREATE OR REPLACE FUNCTION handfast_runs.end_with_job() RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_now timestamptz := handfast_db.now();
    v_run handfast_runs.records;
BEGIN
    UPDATE handfast_runs.records AS r
    SET ended = 'error', ended_at = v_now, updated_at = v_now,
        error_code = CASE NEW.state WHEN 'dead' THEN 'RUN_FAILED' ELSE 'RUN_CANCELLED' END,
        error_message = CASE NEW.state
            WHEN 'dead' THEN 'It failed too often, or in a way that trying again cannot mend.'
            ELSE 'An operator cancelled it.'
        END
    WHERE r.job_id = NEW.id AND r.ended IS NULL
    RETURNING r.* INTO v_run;
    IF FOUND THEN
        PERFORM handfast_runs.tell_end(v_run);
    END IF;
    RETURN NULL;
END
$$;
