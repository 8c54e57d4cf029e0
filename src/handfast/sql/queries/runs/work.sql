-- Statements of the match runs: work.

-- name: begin
SELECT held, ended, error_code, corpus_version, startup_id, name, stage, country, raising,
       coalesce(sectors, '{}') AS sectors, pitch
FROM handfast_runs.begin_match_run($1, $2, $3);

-- name: advance
SELECT handfast_runs.advance_match_run($1, $2, $3, $4::text::handfast.match_run_step) AS held;

-- name: count
SELECT handfast_runs.count_matches($1, $2) AS matches;

-- name: top
SELECT investor_id, score FROM handfast_runs.get_top_matches($1, $2, $3);

-- name: end_runs
-- Those that had not ended before.
SELECT count(*) FILTER (
    WHERE handfast_runs.end_match_run(n.run_id, n.token, handfast_db.now(),
        n.status::handfast.match_run_status, n.matches, n.code, n.message)
) AS ended
FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::integer[], $5::text[], $6::text[])
    AS n(run_id, token, status, matches, code, message);

-- name: login
SELECT current_user::text AS role,
       (SELECT r.rolsuper FROM pg_roles AS r WHERE r.rolname = current_user) AS superuser,
       has_schema_privilege('handfast_runs', 'USAGE')
           AND has_function_privilege(
               'handfast_runs.complete_match_run(uuid, text, bigint, handfast.match_run_status, integer, text, text)',
               'EXECUTE'
           ) AS works,
       has_table_privilege('handfast_runs.startup_investor_matches', 'INSERT, UPDATE, DELETE, TRUNCATE')
           OR has_table_privilege('handfast_runs.startup_uploads', 'INSERT, UPDATE, DELETE, TRUNCATE')
           OR has_table_privilege('handfast_runs.investors', 'INSERT, UPDATE, DELETE, TRUNCATE') AS writes;

-- name: spare_rights
-- What the login may do only because every role may: the statements that would take it away.
SELECT format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC;', current_database()) AS statement
WHERE has_database_privilege(current_database(), 'TEMPORARY')
UNION ALL
SELECT 'REVOKE EXECUTE ON FUNCTION lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea) '
    'FROM PUBLIC;'
WHERE has_function_privilege('pg_catalog.lo_create(oid)', 'EXECUTE');

-- name: role_exists
-- Here, that is: roles are the server's, and another database may have made it.
SELECT to_regnamespace('handfast_runs') IS NOT NULL
       AND EXISTS (SELECT 1 FROM pg_roles AS r WHERE r.rolname = 'handfast_runs') AS there;
