-- Statements of the database layer itself.

-- name: migrations_exist
SELECT to_regclass('db.migrations') IS NOT NULL AS migrations_exist;

-- name: applied_migrations
SELECT number, name, checksum, version, applied_at
FROM db.migrations
ORDER BY number;

-- name: record_migration
INSERT INTO db.migrations (number, name, checksum, version)
VALUES ($1, $2, $3, $4);

-- name: installed_functions
SELECT checksum, version
FROM db.functions;

-- name: recorded_functions
SELECT r.name, r.mark
FROM db.functions AS f CROSS JOIN LATERAL jsonb_each_text(f.installed) AS r(name, mark);

-- name: function_definitions
SELECT format('%s.%s', n.nspname, p.proname) AS name,
       encode(sha256(convert_to(pg_get_functiondef(p.oid), 'UTF8')), 'hex') AS definition
FROM pg_proc AS p
JOIN pg_namespace AS n ON n.oid = p.pronamespace
WHERE n.nspname = ANY ($1::text[]) AND p.prokind = 'f'
ORDER BY 1;

-- name: record_functions
INSERT INTO db.functions (checksum, version, installed)
VALUES ($1, $2, jsonb_object($3::text[], $4::text[]))
ON CONFLICT (one) DO UPDATE
SET checksum = excluded.checksum, version = excluded.version, installed = excluded.installed,
    applied_at = clock_timestamp();

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

-- name: missing_grant
-- The statement that gives this login what it lacks; null if none of ours does. Whoever migrates
-- and works must own our schemas, or belong to the role that does. No membership in a superuser's
-- role, though: it would be one itself.
SELECT current_user::text AS role, o.rolname::text AS owner, CASE
    WHEN o.oid IS NULL OR pg_has_role(o.oid, 'USAGE') THEN
        CASE WHEN NOT has_database_privilege(current_database(), 'CREATE') THEN
            format('GRANT CREATE ON DATABASE %I TO %I;', current_database(), current_user)
        END
    WHEN NOT o.rolsuper THEN format('GRANT %I TO %I;', o.rolname, current_user)
END AS "grant"
FROM (SELECT 1) AS one
LEFT JOIN LATERAL (
    SELECT r.oid, r.rolname, r.rolsuper
    FROM pg_namespace AS n JOIN pg_roles AS r ON r.oid = n.nspowner
    WHERE n.nspname = ANY ($1::text[])
    ORDER BY pg_has_role(r.oid, 'USAGE'), array_position($1::text[], n.nspname::text)
    LIMIT 1
) AS o ON true;

-- name: server
SELECT
    current_setting('server_version') AS version,
    current_database()::text AS database,
    clock_timestamp() AS now,
    pg_database_size(current_database()) AS size_bytes;
