-- This attempt failed, and the kind's policy decides; with retry_at it is no failure but a wish. Answers
-- the state of the job, null when the lease was lost.
CREATE OR REPLACE FUNCTION handfast.fail(
    id       bigint,
    token    bigint,
    error    text,
    class    text DEFAULT 'transient',
    trace    text DEFAULT NULL,
    retry_at timestamptz DEFAULT NULL
) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF fail.class IS NULL OR fail.class NOT IN ('transient', 'timeout', 'logic', 'data', 'payload') THEN
        RAISE EXCEPTION 'a failure is transient, timeout, logic, data or payload, not %', fail.class
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    RETURN handfast_engine.fail(
        fail.id, fail.token, fail.class, coalesce(fail.error, ''), fail.trace, fail.retry_at
    );
END
$$;
