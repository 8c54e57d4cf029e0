-- The days of the claim log: made ahead for p_ahead, and dropped whole when they are older than p_keep.
-- Idempotent. Answers how many were made and dropped.
CREATE OR REPLACE FUNCTION handfast_stakes.make_claim_days(p_ahead integer, p_keep interval) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
    v_first   date := (handfast_db.now() AT TIME ZONE 'UTC')::date;
    v_day     date;
    v_name    text;
    v_changed integer := 0;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('handfast_stakes.claims', 0));
    FOR i IN 0 .. p_ahead LOOP
        v_day := v_first + i;
        v_name := 'claims_' || to_char(v_day, 'YYYYMMDD');
        CONTINUE WHEN EXISTS (
            SELECT 1 FROM pg_catalog.pg_class AS c
            WHERE c.relnamespace = 'handfast_stakes'::regnamespace AND c.relname = v_name
        ) OR EXISTS (  -- a day that began in the catch-all stays there
            SELECT 1 FROM handfast_stakes.claims_other AS o
            WHERE o.at >= v_day::timestamp AT TIME ZONE 'UTC' AND o.at < (v_day + 1)::timestamp AT TIME ZONE 'UTC'
        );
        EXECUTE format(
            'CREATE TABLE handfast_stakes.%I PARTITION OF handfast_stakes.claims FOR VALUES FROM (%L) TO (%L)',
            v_name, v_day::timestamp AT TIME ZONE 'UTC', (v_day + 1)::timestamp AT TIME ZONE 'UTC'
        );
        v_changed := v_changed + 1;
    END LOOP;
    FOR v_name IN
        SELECT c.relname FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'handfast_stakes.claims'::regclass AND c.relname ~ '^claims_[0-9]{8}$'
          AND to_date(right(c.relname, 8), 'YYYYMMDD') < ((handfast_db.now() - p_keep) AT TIME ZONE 'UTC')::date
    LOOP
        EXECUTE format('ALTER TABLE handfast_stakes.claims DETACH PARTITION handfast_stakes.%I', v_name);
        EXECUTE format('DROP TABLE handfast_stakes.%I', v_name);
        v_changed := v_changed + 1;
    END LOOP;
    DELETE FROM handfast_stakes.claims_other AS o WHERE o.at < handfast_db.now() - p_keep;
    RETURN v_changed;
END
$$;
