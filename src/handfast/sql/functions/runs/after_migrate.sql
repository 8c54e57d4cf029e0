-- Called at the end of every migrate, in the transaction that installs the functions: who may do
-- what here. Nothing in this schema is for PUBLIC. The role handfast_runs may read the corpus and
-- call the functions of the SQL interface, and nothing else; it is made if we may make roles.
-- Answers the statements that an administrator has to run instead, if we may not.
CREATE OR REPLACE FUNCTION runs.after_migrate() RETURNS SETOF text
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    c_interface CONSTANT text[] := ARRAY[
        'start_match_run', 'get_match_run', 'get_match_run_debug', 'claim_next_match_run',
        'complete_match_run', 'extend_match_run', 'release_expired_leases', 'canonicalize_url',
        'resolve_startup_by_url', 'count_matches', 'get_top_matches',
        'begin_match_run', 'advance_match_run'  -- what our own worker calls besides
    ];
    v_function regprocedure;
BEGIN
    REVOKE ALL ON ALL FUNCTIONS IN SCHEMA runs FROM PUBLIC;
    IF NOT EXISTS (SELECT 1 FROM pg_roles AS r WHERE r.rolname = 'handfast_runs') THEN
        IF NOT (SELECT r.rolsuper OR r.rolcreaterole FROM pg_roles AS r WHERE r.rolname = current_user) THEN
            RETURN NEXT 'CREATE ROLE handfast_runs LOGIN PASSWORD ''…'';  -- then: handfast migrate';
            RETURN;
        END IF;
        BEGIN
            CREATE ROLE handfast_runs LOGIN;
        EXCEPTION WHEN duplicate_object OR unique_violation THEN
            NULL;  -- roles are the server's: another database was migrated in this moment
        END;
    END IF;
    GRANT USAGE ON SCHEMA runs TO handfast_runs;
    GRANT SELECT ON runs.corpus_versions, runs.startup_uploads, runs.investors,
        runs.startup_investor_matches, runs.aliases, runs.shared_hosts TO handfast_runs;
    FOR v_function IN
        SELECT p.oid::regprocedure FROM pg_proc AS p
        WHERE p.pronamespace = 'runs'::regnamespace AND p.proname = ANY (c_interface)
    LOOP
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO handfast_runs', v_function);
    END LOOP;
END
$$;
