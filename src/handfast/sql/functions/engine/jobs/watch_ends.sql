-- For a schema above that must hear of jobs of its kind which ended otherwise than well: its trigger
-- function is called in the transaction that ends one, with NEW.id and NEW.state. Where the engine
-- writes down an end is its own affair, so it makes the trigger itself.
--
-- The condition is what other kinds pay for it: one comparison, made only when a job ends. Asked again,
-- it changes nothing.
CREATE OR REPLACE FUNCTION handfast_engine.watch_ends(p_kind text, p_function regprocedure) RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_name text := 'jobs_end_' || regexp_replace(p_kind, '[^a-z0-9]+', '_', 'g');
BEGIN
    IF EXISTS (
        SELECT 1 FROM pg_trigger AS t
        WHERE t.tgrelid = 'handfast_engine.jobs'::regclass AND t.tgname = v_name
          AND t.tgfoid = p_function::oid
    ) THEN
        RETURN;
    END IF;
    EXECUTE format(
        'CREATE OR REPLACE TRIGGER %I AFTER UPDATE OF state ON handfast_engine.jobs FOR EACH ROW '
        'WHEN (NEW.state > ''succeeded'' AND NEW.kind = %L) EXECUTE FUNCTION %s',  -- cancelled, skipped, dead
        v_name, p_kind, p_function
    );
END
$$;
