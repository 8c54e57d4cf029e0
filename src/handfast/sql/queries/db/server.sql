-- Statements of the database layer itself: server.

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
    pg_database_size(current_database()) AS size_bytes,
    (SELECT count(*) FROM pg_stat_activity AS a
     WHERE a.datname = current_database() AND a.application_name LIKE 'handfast%') AS connections,
    (SELECT d.xact_commit + d.xact_rollback FROM pg_stat_database AS d
     WHERE d.datname = current_database()) AS transactions;

-- name: echo
-- To ourselves, by the way that others' notifications take.
SELECT pg_notify($1, '');

-- name: notify
SELECT count(pg_notify(n.channel, n.payload)::text)
FROM unnest($1::text[], $2::text[]) AS n(channel, payload);
