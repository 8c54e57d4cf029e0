-- Run once by the embedded server's superuser, in our database: who works there.
--
-- handfast_app is what every process of ours connects as: no superuser, so that the connections
-- which PostgreSQL reserves for one stay free for a person who wants to look. It belongs to the
-- superuser's role because a person may have made things as that one (`handfast psql`).
--
-- handfast_runs may read the corpus and nothing else. Every role may make temporary tables and large
-- objects unless PUBLIC may not; in this database nobody but us is affected.
SELECT pg_advisory_xact_lock(7521983764);

DO $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_roles AS r WHERE r.rolname = 'handfast_runs') THEN
        CREATE ROLE handfast_runs LOGIN;
    END IF;
    IF NOT EXISTS (SELECT 1 FROM pg_roles AS r WHERE r.rolname = 'handfast_app') THEN
        CREATE ROLE handfast_app LOGIN;
        GRANT handfast_owner TO handfast_app;
    END IF;
    EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
END
$$;

REVOKE EXECUTE ON FUNCTION lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea) FROM PUBLIC;
