-- The days of the history, made ahead: from today for p_days. Idempotent.
CREATE OR REPLACE FUNCTION handfast_engine.make_partitions(p_days integer) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
    v_day   date;
    v_made  integer := 0;
    v_first date := (handfast_db.now() AT TIME ZONE 'UTC')::date;
BEGIN
    FOR i IN 0 .. p_days LOOP
        v_day := v_first + i;
        CONTINUE WHEN to_regclass(format('handfast_engine.attempts_%s', to_char(v_day, 'YYYYMMDD'))) IS NOT NULL;
        -- Two housekeepers may come here at once; the second finds the table made.
        PERFORM pg_advisory_xact_lock(hashtext('handfast_engine.make_partitions'));
        -- Not to_regclass again: it would remember its own answer from before we waited.
        CONTINUE WHEN EXISTS (
            SELECT 1 FROM pg_catalog.pg_class AS c
            WHERE c.relnamespace = 'handfast_engine'::regnamespace
              AND c.relname = format('attempts_%s', to_char(v_day, 'YYYYMMDD'))
        );
        CONTINUE WHEN EXISTS (  -- a day that began in the catch-all stays there
            SELECT 1 FROM handfast_engine.attempts_other AS o
            WHERE o.finished_at >= v_day::timestamp AT TIME ZONE 'UTC'
              AND o.finished_at < (v_day + 1)::timestamp AT TIME ZONE 'UTC'
        );
        EXECUTE format(
            'CREATE TABLE handfast_engine.attempts_%s PARTITION OF handfast_engine.attempts'
            ' FOR VALUES FROM (%L) TO (%L) WITH (autovacuum_vacuum_insert_scale_factor = 1)',
            to_char(v_day, 'YYYYMMDD'),
            v_day::timestamp AT TIME ZONE 'UTC', (v_day + 1)::timestamp AT TIME ZONE 'UTC'
        );
        v_made := v_made + 1;
    END LOOP;
    RETURN v_made;
END
$$;
