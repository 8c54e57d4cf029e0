-- Statements of the database layer itself: migrations.

-- name: record_of_migrations
-- Whether there is a record, and whether there is one of the builds before the first release, whose
-- schemas had plain names and said in their comments whose they are.
SELECT to_regclass('handfast_db.migrations') IS NOT NULL AS kept,
       to_regclass('db.migrations') IS NOT NULL
           AND coalesce(obj_description(to_regnamespace('db'), 'pg_namespace'), '')
               LIKE 'Handfast:%' AS unreleased;

-- name: applied_migrations
SELECT schema, number, name, checksum, version, applied_at
FROM handfast_db.migrations
WHERE schema = ANY ($1::text[])
ORDER BY applied_at, schema, number;

-- name: record_migration
INSERT INTO handfast_db.migrations (schema, number, name, checksum, version)
VALUES ($1, $2, $3, $4, $5);

-- name: installed_functions
SELECT schema, checksum, version
FROM handfast_db.functions
WHERE schema = ANY ($1::text[]);

-- name: recorded_functions
SELECT r.name, r.mark
FROM handfast_db.functions AS f CROSS JOIN LATERAL jsonb_each_text(f.installed) AS r(name, mark)
WHERE f.schema = ANY ($1::text[]);

-- name: function_definitions
SELECT format('%s.%s', n.nspname, p.proname) AS name,
       encode(sha256(convert_to(pg_get_functiondef(p.oid), 'UTF8')), 'hex') AS definition
FROM pg_proc AS p
JOIN pg_namespace AS n ON n.oid = p.pronamespace
WHERE n.nspname = ANY ($1::text[]) AND p.prokind = 'f'
ORDER BY 1;

-- name: record_functions
INSERT INTO handfast_db.functions (schema, checksum, version, installed)
VALUES ($1, $2, $3, jsonb_object($4::text[], $5::text[]))
ON CONFLICT (schema) DO UPDATE
SET checksum = excluded.checksum, version = excluded.version, installed = excluded.installed,
    applied_at = clock_timestamp();

-- name: after_migrate
SELECT {function}();

-- name: try_lock_migrations
SELECT pg_try_advisory_xact_lock($1) AS locked;

-- name: index_state
SELECT i.indisvalid
FROM pg_index AS i
WHERE i.indexrelid = to_regclass($1);

-- name: overloaded_functions
SELECT format('%I.%I', n.nspname, p.proname)
FROM pg_proc AS p
JOIN pg_namespace AS n ON n.oid = p.pronamespace
WHERE n.nspname = ANY ($1::text[])
GROUP BY n.nspname, p.proname
HAVING count(*) > 1
ORDER BY 1;
