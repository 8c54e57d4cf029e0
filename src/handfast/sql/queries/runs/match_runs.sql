-- Statements of the match runs: match runs.

-- name: start
SELECT run_id, startup_id, input_url, canonical_url, status::text, step::text, match_count,
       error_code, error_message, locked_by, lock_expires_at, created_at, updated_at, corpus_version,
       created
FROM handfast_runs.start_canonical_run($1, $2, $3);

-- name: run
SELECT run_id, startup_id, input_url, canonical_url, status::text, step::text, match_count,
       error_code, error_message, locked_by, lock_expires_at, created_at, updated_at, corpus_version
FROM handfast_runs.match_runs
WHERE run_id = $1;

-- name: runs_between
SELECT run_id FROM handfast_runs.match_runs WHERE run_id BETWEEN $1 AND $2 ORDER BY run_id LIMIT $3;

-- name: runs_of
SELECT run_id, startup_id, input_url, canonical_url, status::text, step::text, match_count,
       error_code, error_message, locked_by, lock_expires_at, created_at, updated_at, corpus_version
FROM handfast_runs.match_runs
WHERE run_id = ANY ($1::uuid[]);

-- name: newest_runs
SELECT run_id, startup_id, input_url, canonical_url, status::text, step::text, match_count,
       error_code, error_message, locked_by, lock_expires_at, created_at, updated_at, corpus_version
FROM handfast_runs.match_runs
WHERE $1::uuid IS NULL OR (created_at, run_id) < (
    SELECT o.created_at, o.run_id FROM handfast_runs.records AS o WHERE o.run_id = $1
)
ORDER BY created_at DESC, run_id DESC
LIMIT $2;

-- name: runs_by_startup
-- Of the newest $2 runs that are not older than $1, by startup, the busiest first.
SELECT n.startup_id, count(*) AS runs, count(*) FILTER (WHERE n.ended = 'ready') AS ready,
       count(*) FILTER (WHERE n.ended = 'error') AS failed, max(n.created_at) AS newest_at,
       bool_or(n.last) AS at_least
FROM (
    SELECT r.startup_id, r.ended::text AS ended, r.created_at, count(*) OVER () >= $2 AS last
    FROM (
        SELECT i.startup_id, i.ended, i.created_at FROM handfast_runs.records AS i
        WHERE i.created_at >= handfast_db.now() - $1::interval
        ORDER BY i.created_at DESC LIMIT $2
    ) AS r
) AS n
GROUP BY n.startup_id ORDER BY 2 DESC, 1 LIMIT $3;

-- name: debug
SELECT handfast_runs.get_match_run_debug($1) AS known;

-- name: profile
SELECT c.state <> 'retired' AS kept, c.weights, s.name, s.url, s.stage, s.country, s.raising,
       coalesce(s.sectors, '{}') AS sectors, s.pitch
FROM handfast_runs.corpus_versions AS c
LEFT JOIN handfast_runs.startup_uploads AS s ON s.version = c.version AND s.startup_id = $2
WHERE c.version = $1;

-- name: page
SELECT t.investor_id, t.score, t.sector, t.stage, t.geography, t.cheque, t.thesis, t.activity,
       coalesce(i.name, t.investor_id) AS name, i.url, coalesce(i.stages, '{}') AS stages,
       coalesce(i.countries, '{}') AS countries, coalesce(i.sectors, '{}') AS sectors,
       i.cheque_min, i.cheque_max, i.deals
FROM handfast_runs.get_top_matches($2, $3, $1, $4, $5) AS t
LEFT JOIN handfast_runs.investors AS i ON i.version = $1 AND i.investor_id = t.investor_id
ORDER BY t.score DESC, t.deals DESC, t.investor_id COLLATE "C";

-- name: prune
SELECT handfast_runs.prune($1, $2) AS removed;
