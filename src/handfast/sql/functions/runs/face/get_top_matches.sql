-- The best matches of a startup, the best first: see handfast_runs.get_top_matches.
CREATE OR REPLACE FUNCTION handfast.get_top_matches(
    startup_id     text,
    "limit"        integer DEFAULT 200,
    corpus_version integer DEFAULT NULL,
    after_score    integer DEFAULT NULL,
    after_id       text DEFAULT NULL
) RETURNS TABLE (
    investor_id text, score smallint, sector smallint, stage smallint, geography smallint,
    cheque smallint, thesis smallint, version integer, activity smallint, deals integer
)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
    SELECT * FROM handfast_runs.get_top_matches(
        get_top_matches.startup_id, get_top_matches."limit", get_top_matches.corpus_version,
        get_top_matches.after_score, get_top_matches.after_id
    )
$$;
