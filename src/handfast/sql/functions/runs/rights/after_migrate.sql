-- Called at the end of every migrate, in the transaction that installs the functions: the engine tells
-- of jobs that ended otherwise than well, and who may do what here. The role handfast_runs may read the
-- corpus and call the functions of the SQL interface, and nothing else; it is made if we may make roles.
-- Answers the statements that an administrator has to run instead, if we may not. What is as it
-- should be is left alone: each REVOKE and GRANT would write to the catalog, changed or not.
CREATE OR REPLACE FUNCTION handfast_runs.after_migrate() RETURNS SETOF text
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    c_interface CONSTANT text[] := ARRAY[
        'start_match_run', 'get_match_run', 'get_match_run_debug', 'claim_next_match_run',
        'complete_match_run', 'extend_match_run', 'release_expired_leases', 'canonicalize_url',
        'resolve_startup_by_url', 'count_matches', 'get_top_matches',
        'begin_match_run', 'advance_match_run'  -- what our own worker calls besides
    ];
    c_tables CONSTANT regclass[] := ARRAY[
        'handfast_runs.corpus_versions', 'handfast_runs.startup_uploads', 'handfast_runs.investors',
        'handfast_runs.startup_investor_matches', 'handfast_runs.aliases', 'handfast_runs.shared_hosts',
        'handfast.startup_uploads', 'handfast.investors', 'handfast.startup_investor_matches'
    ];
    v_function regprocedure;
    v_table    regclass;
BEGIN
    PERFORM handfast_engine.watch_ends('runs.match', 'handfast_runs.end_with_job()');
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
    IF NOT has_schema_privilege('handfast_runs', 'handfast_runs', 'USAGE') THEN
        GRANT USAGE ON SCHEMA handfast_runs TO handfast_runs;
    END IF;
    IF NOT has_schema_privilege('handfast_runs', 'handfast', 'USAGE') THEN
        GRANT USAGE ON SCHEMA handfast TO handfast_runs;
    END IF;
    FOREACH v_table IN ARRAY c_tables LOOP
        IF NOT has_table_privilege('handfast_runs', v_table, 'SELECT') THEN
            EXECUTE format('GRANT SELECT ON %s TO handfast_runs', v_table);
        END IF;
    END LOOP;
    FOR v_function IN
        SELECT p.oid::regprocedure FROM pg_proc AS p
        WHERE p.pronamespace IN ('handfast_runs'::regnamespace, 'handfast'::regnamespace)
          AND p.proname = ANY (c_interface)
          AND NOT has_function_privilege('handfast_runs', p.oid, 'EXECUTE')
    LOOP
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO handfast_runs', v_function);
    END LOOP;
END
$$;
