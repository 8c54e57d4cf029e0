-- Marks the versions that nobody needs any more, and answers them. Their tables are dropped
-- afterwards, and by the next retention if that one does not live to do it.
--
-- Kept are the current version; the one before it; those that a run began on within p_pinned or
-- that an unfinished run reads; and for p_aside, for somebody to look at, those that were built and
-- never switched to, or were refused. A version that readers left within p_grace is kept too: a run
-- that was just beginning may not have written down yet that it reads it.
CREATE OR REPLACE FUNCTION handfast_runs.retire_corpus(
    p_pinned interval, p_aside interval, p_grace interval
) RETURNS SETOF integer
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_before integer;
BEGIN
    LOCK TABLE handfast_runs.corpus_versions IN SHARE ROW EXCLUSIVE MODE;
    SELECT v.version INTO v_before FROM handfast_runs.corpus_versions AS v
    WHERE v.state = 'previous' ORDER BY v.left_at DESC, v.version DESC LIMIT 1;
    RETURN QUERY
    UPDATE handfast_runs.corpus_versions AS v SET state = 'retired'
    WHERE (v.state = 'previous' AND v.version <> v_before
           OR v.state IN ('built', 'refused') AND v.built_at < handfast_db.now() - p_aside)
      AND (v.left_at IS NULL OR v.left_at < handfast_db.now() - p_grace)
      AND NOT EXISTS (
          SELECT FROM handfast_runs.records AS r WHERE r.corpus_version = v.version AND r.ended IS NULL
      )
      AND NOT EXISTS (
          SELECT FROM handfast_runs.records AS r
          WHERE r.corpus_version = v.version AND r.created_at >= handfast_db.now() - p_pinned - p_grace
      )
    RETURNING v.version;
END
$$;
REVOKE ALL ON FUNCTION handfast_runs.retire_corpus(interval, interval, interval) FROM PUBLIC;
