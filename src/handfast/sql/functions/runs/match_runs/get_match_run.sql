-- A run and, when it is ready, its matches as JSON, the best first: by default 200. No row when there
-- is no such run. Null for the matches of a run that is not ready, or whose version of the corpus
-- is no longer kept.
CREATE OR REPLACE FUNCTION handfast_runs.get_match_run(
    INOUT run_id uuid,
    "limit" integer DEFAULT 200,
    OUT startup_id text, OUT input_url text, OUT canonical_url text,
    OUT status handfast.match_run_status, OUT step handfast.match_run_step, OUT match_count integer,
    OUT error_code text, OUT error_message text, OUT locked_by text,
    OUT lock_expires_at timestamptz, OUT created_at timestamptz, OUT updated_at timestamptz,
    OUT corpus_version integer, OUT matches jsonb
) RETURNS SETOF record
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
                   'percent', t.score / 10.0, 'sectors', i.sectors, 'stages', i.stages,
                   'chequeMin', i.cheque_min, 'chequeMax', i.cheque_max, 'deals', i.deals,
                   'sector', t.sector, 'stage', t.stage, 'geography', t.geography,
                   'cheque', t.cheque, 'thesis', t.thesis, 'activity', t.activity
               ) ORDER BY t.score DESC, t.deals DESC, t.investor_id COLLATE "C"), '[]')
               FROM handfast_runs.get_top_matches(m.startup_id, get_match_run."limit", m.corpus_version) AS t
               LEFT JOIN handfast_runs.investors AS i
                   ON i.version = m.corpus_version AND i.investor_id = t.investor_id
           ) END
    FROM handfast_runs.match_runs AS m
    LEFT JOIN handfast_runs.corpus_versions AS c ON c.version = m.corpus_version
    WHERE m.run_id = get_match_run.run_id;
END
$$;
