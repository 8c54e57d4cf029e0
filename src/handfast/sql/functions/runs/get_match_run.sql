-- A run and, when it is ready, its matches as JSON, the best first: by default 200. No row when there
-- is no such run. Null for the matches of a run that is not ready, or whose version of the corpus
-- is no longer kept.
CREATE OR REPLACE FUNCTION runs.get_match_run(
    p_run_id uuid,
    p_limit  integer DEFAULT 200
) RETURNS TABLE (
    run_id uuid, startup_id text, input_url text, canonical_url text, status runs.match_run_status,
    step runs.match_run_step, match_count integer, error_code text, error_message text,
    locked_by text, lock_expires_at timestamptz, created_at timestamptz, updated_at timestamptz,
    corpus_version integer, matches jsonb
)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT m.run_id, m.startup_id, m.input_url, m.canonical_url, m.status, m.step, m.match_count,
           m.error_code, m.error_message, m.locked_by, m.lock_expires_at, m.created_at, m.updated_at,
           m.corpus_version,
           CASE WHEN m.status = 'ready' AND c.state <> 'retired' THEN (
               SELECT coalesce(jsonb_agg(jsonb_build_object(
                   'investorId', t.investor_id, 'name', i.name, 'url', i.url, 'score', t.score,
                   'sector', t.sector, 'stage', t.stage, 'geography', t.geography,
                   'cheque', t.cheque, 'thesis', t.thesis
               ) ORDER BY t.score DESC, t.investor_id COLLATE "C"), '[]')
               FROM runs.get_top_matches(m.startup_id, p_limit, m.corpus_version) AS t
               LEFT JOIN runs.investors AS i
                   ON i.version = m.corpus_version AND i.investor_id = t.investor_id
           ) END
    FROM runs.match_runs AS m
    LEFT JOIN runs.corpus_versions AS c ON c.version = m.corpus_version
    WHERE m.run_id = p_run_id;
END
$$;
