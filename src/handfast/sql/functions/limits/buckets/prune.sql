-- Looks at the p_limit rows after the given one, in the order of their keys, and removes those that
-- mean nothing any more. Answers how many were looked at, and the last of them to go on from.
-- Rows in use are left for the next walk.
CREATE OR REPLACE FUNCTION handfast_limits.prune(
    p_after_name text, p_after_subject text, p_limit integer
) RETURNS TABLE (looked_at integer, pruned integer, last_name text, last_subject text)
LANGUAGE plpgsql AS $$
DECLARE
    v_now timestamptz := handfast_db.now();
BEGIN
    RETURN QUERY
    WITH walked AS MATERIALIZED (
        SELECT b.name, b.subject FROM handfast_limits.buckets AS b
        WHERE (b.name, b.subject) > (p_after_name COLLATE "C", p_after_subject COLLATE "C")
        ORDER BY b.name, b.subject
        LIMIT p_limit
    ), old AS MATERIALIZED (
        SELECT b.name, b.subject FROM handfast_limits.buckets AS b
        JOIN walked AS w ON w.name = b.name AND w.subject = b.subject
        WHERE b.whole_at < v_now
        ORDER BY b.name, b.subject
        FOR UPDATE OF b SKIP LOCKED
    ), gone AS (
        DELETE FROM handfast_limits.buckets AS b USING old AS o
        WHERE b.name = o.name AND b.subject = o.subject
        RETURNING 1
    ), last AS (
        SELECT w.name, w.subject FROM walked AS w ORDER BY w.name DESC, w.subject DESC LIMIT 1
    )
    SELECT (SELECT count(*) FROM walked)::integer, (SELECT count(*) FROM gone)::integer,
           (SELECT l.name FROM last AS l)::text, (SELECT l.subject FROM last AS l)::text;
END
$$;
