-- Forget the attempts of whole days before p_before, by detaching and dropping their partitions:
-- no row is deleted, nothing is left to vacuum. One partition a call, so that the lock on the parent
-- is short; the caller sets a lock_timeout and comes again. Answers the partition's name, or null.
CREATE OR REPLACE FUNCTION handfast_engine.drop_history(p_before timestamptz) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    v_name text;
BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtext('handfast_engine.drop_history')) THEN
        RETURN NULL;  -- another janitor is at it
    END IF;
    SELECT c.relname INTO v_name
    FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'handfast_engine.attempts'::regclass
      AND c.relname ~ '^attempts_[0-9]{8}$'
      AND to_date(right(c.relname, 8), 'YYYYMMDD') + 1 <= (p_before AT TIME ZONE 'UTC')::date
    ORDER BY c.relname LIMIT 1;
    IF v_name IS NOT NULL THEN
        EXECUTE format('ALTER TABLE handfast_engine.attempts DETACH PARTITION handfast_engine.%I', v_name);
        EXECUTE format('DROP TABLE handfast_engine.%I', v_name);
    END IF;
    RETURN v_name;
END
$$;
