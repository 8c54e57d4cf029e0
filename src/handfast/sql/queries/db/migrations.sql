-- Statements of the database layer itself: migrations.

-- name: record_of_migrations
-- Whether there is a record, and whether there is one of the builds before the first release, whose
-- schemas had plain names and said in their comments whose they are. Read from the catalog as from
-- any table: to_regclass would remember what it answered before we had the lock.
SELECT coalesce(bool_or(n.nspname = 'handfast_db'), false) AS kept,
       coalesce(bool_or(
           n.nspname = 'db' AND obj_description(n.oid, 'pg_namespace') LIKE 'Handfast:%'
       ), false) AS unreleased
FROM pg_class AS c
JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relname = 'migrations' AND n.nspname IN ('handfast_db', 'db');

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
SELECT f.schema, r.name, r.mark
FROM handfast_db.functions AS f CROSS JOIN LATERAL jsonb_each_text(f.installed) AS r(name, mark)
WHERE f.schema = ANY ($1::text[]);

-- name: function_definitions
SELECT format('%s.%s', n.nspname, p.proname) AS name,
       encode(sha256(convert_to(pg_get_functiondef(p.oid), 'UTF8')), 'hex') AS definition
FROM pg_proc AS p
JOIN pg_namespace AS n ON n.oid = p.pronamespace
WHERE n.nspname = ANY ($1::text[]) AND p.prokind = 'f'
UNION ALL
SELECT format('%s.%s', n.nspname, c.relname),
       encode(sha256(convert_to(concat(pg_get_viewdef(c.oid), c.reloptions), 'UTF8')), 'hex')
FROM pg_class AS c
JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = ANY ($1::text[]) AND c.relkind = 'v'
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

-- name: functions_for_everybody
-- The statements that take ours back from PUBLIC, which PostgreSQL lets call every new function.
-- None for what is as it should be: each would write to the catalog, changed or not.
SELECT format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', p.oid::regprocedure)
FROM pg_proc AS p
JOIN pg_namespace AS n ON n.oid = p.pronamespace
WHERE n.nspname = ANY ($1::text[]) AND p.prokind = 'f' AND pg_has_role(p.proowner, 'USAGE')
  AND EXISTS (
      SELECT 1 FROM aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) AS a
      WHERE a.grantee = 0
  );

-- name: schemas_present
SELECT n.nspname::text AS name, pg_get_userbyid(n.nspowner)::text AS owner
FROM pg_namespace AS n
WHERE n.nspname = ANY ($1::text[])
ORDER BY 1;

-- name: objects_present
-- What is in a schema, by name; many: under one name there is more than one function. Ours says of
-- itself whose it is, unless the record of functions and views has it.
SELECT format('%s.%s', $1::text, o.name) AS name, min(o.what) AS what,
       pg_get_userbyid(min(o.owner))::text AS owner, count(*) > 1 AS many, bool_and(o.ours) AS ours
FROM (
    SELECT c.relname AS name, c.relowner AS owner,
           CASE c.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'view' WHEN 'S' THEN 'sequence'
                          WHEN 'c' THEN 'type' ELSE 'table' END AS what,
           coalesce(obj_description(c.oid, 'pg_class'), '') LIKE 'Handfast:%' AS ours
    FROM pg_class AS c
    JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'f', 'v', 'm', 'S', 'c')
    UNION ALL
    SELECT p.proname, p.proowner, 'function', false
    FROM pg_proc AS p
    JOIN pg_namespace AS n ON n.oid = p.pronamespace
    WHERE n.nspname = $1
    UNION ALL
    SELECT t.typname, t.typowner, 'type',
           coalesce(obj_description(t.oid, 'pg_type'), '') LIKE 'Handfast:%'
    FROM pg_type AS t
    JOIN pg_namespace AS n ON n.oid = t.typnamespace
    WHERE n.nspname = $1 AND t.typrelid = 0 AND t.typcategory <> 'A'
) AS o
GROUP BY o.name
ORDER BY 1;

-- name: all_recorded_functions
SELECT r.name FROM handfast_db.functions AS f CROSS JOIN LATERAL jsonb_object_keys(f.installed) AS r(name);

-- name: paths_that_reach
-- The logins of this database whose own search_path reaches a schema, and by what: the session that
-- asks, a setting of the role, one of the database, or its own name ("$user"). What others have in
-- the server's own configuration is not known here, and taken for PostgreSQL's default.
WITH settings AS (
    SELECT s.setrole, s.setdatabase, substr(c.text, length('search_path=') + 1) AS path
    FROM pg_db_role_setting AS s CROSS JOIN LATERAL unnest(s.setconfig) AS c(text)
    WHERE c.text LIKE 'search\_path=%'
      AND s.setdatabase IN (0, (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database()))
), logins AS (
    SELECT r.rolname::text AS login, r.rolname = current_user AS asking,
           CASE WHEN r.rolname = current_user THEN current_setting('search_path')
                ELSE coalesce(mine.path, everybodys.path, '"$user", public') END AS path,
           mine.path AS mine, everybodys.path AS everybodys, everybodys.setdatabase <> 0 AS here
    FROM pg_roles AS r
    LEFT JOIN LATERAL (
        SELECT s.path FROM settings AS s WHERE s.setrole = r.oid ORDER BY s.setdatabase DESC LIMIT 1
    ) AS mine ON true
    LEFT JOIN LATERAL (
        SELECT s.path, s.setdatabase FROM settings AS s WHERE s.setrole = 0
        ORDER BY s.setdatabase DESC LIMIT 1
    ) AS everybodys ON true
    WHERE (r.rolcanlogin OR r.rolname = current_user)
      AND has_database_privilege(r.oid, current_database(), 'CONNECT')
), reaching AS (
    SELECT l.*, CASE WHEN l.path = l.mine THEN 'role' WHEN l.path = l.everybodys THEN 'database'
                     WHEN l.login = $1 THEN 'name' ELSE 'session' END AS set_by
    FROM logins AS l
    WHERE EXISTS (
        SELECT 1 FROM unnest(string_to_array(l.path, ',')) AS e(part)
        WHERE CASE btrim(e.part, ' "') WHEN '$user' THEN l.login ELSE btrim(e.part, ' "') END = $1
    )
)
SELECT l.login, l.asking, l.path, l.set_by,
       CASE
           WHEN l.set_by = 'session' THEN 'RESET search_path;'
           WHEN l.set_by = 'database' AND l.here
               THEN format('ALTER DATABASE %I RESET search_path;', current_database())
           WHEN l.set_by = 'database' THEN 'ALTER ROLE ALL RESET search_path;'
           ELSE format('ALTER ROLE %I IN DATABASE %I SET search_path = public;', l.login, current_database())
       END AS remedy
FROM reaching AS l
ORDER BY NOT l.asking, l.set_by <> 'database', l.login;
