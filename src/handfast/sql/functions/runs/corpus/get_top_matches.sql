-- The best matches of a startup, the best first; of equal scores the investor with more deals, then
-- the lower id; in the current version of the corpus or in the one named. The next page begins after
-- the last row of the one before: after_score and after_id are its score and its investor. Read from
-- the index alone.
CREATE OR REPLACE FUNCTION handfast_runs.get_top_matches(
    startup_id     text,
    "limit"        integer DEFAULT 200,
    corpus_version integer DEFAULT NULL,
    after_score    integer DEFAULT NULL,
    after_id       text DEFAULT NULL
) RETURNS TABLE (
    investor_id text, score smallint, sector smallint, stage smallint, geography smallint,
    cheque smallint, thesis smallint, version integer, activity smallint, deals integer
)
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET jit = off SET enable_bitmapscan = off SET enable_sort = off AS $$
#variable_conflict use_column
DECLARE
    v_version integer := corpus_version;
    v_deals   integer;
BEGIN
    IF v_version IS NULL THEN
        SELECT c.version INTO v_version FROM handfast_runs.corpus_versions AS c WHERE c.state = 'current';
    END IF;
    IF after_score IS NULL THEN
        RETURN QUERY
        SELECT m.investor_id, m.score, m.sector, m.stage, m.geography, m.cheque, m.thesis, m.version,
               m.activity, m.deals
        FROM handfast_runs.startup_investor_matches AS m
        WHERE m.version = v_version AND m.startup_id = get_top_matches.startup_id
        ORDER BY m.score DESC, m.deals DESC, m.investor_id
        LIMIT "limit";
    ELSE
        SELECT m.deals INTO v_deals FROM handfast_runs.startup_investor_matches AS m
        WHERE m.version = v_version AND m.startup_id = get_top_matches.startup_id
          AND m.investor_id = after_id;
        v_deals := coalesce(v_deals, -1);
        RETURN QUERY
        SELECT m.investor_id, m.score, m.sector, m.stage, m.geography, m.cheque, m.thesis, m.version,
               m.activity, m.deals
        FROM handfast_runs.startup_investor_matches AS m
        WHERE m.version = v_version AND m.startup_id = get_top_matches.startup_id
          AND m.score <= after_score
          AND (m.score < after_score OR m.deals < v_deals
               OR m.deals = v_deals AND m.investor_id > after_id)
        ORDER BY m.score DESC, m.deals DESC, m.investor_id
        LIMIT "limit";
    END IF;
END
$$;
