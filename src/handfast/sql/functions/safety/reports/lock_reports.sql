-- Reports by one person, and about one, come one after the other: the second within the hour sees the
-- first, and whoever counts the reporters counts all of them. In a statement of its own, before either.
CREATE OR REPLACE FUNCTION handfast_safety.lock_reports(p_reporter uuid, p_user uuid) RETURNS void
LANGUAGE sql VOLATILE
AS $$
    SELECT pg_advisory_xact_lock(hashtextextended('handfast_safety.reports by ' || p_reporter, 0));
    SELECT pg_advisory_xact_lock(hashtextextended('handfast_safety.reports about ' || p_user, 0))
$$;
