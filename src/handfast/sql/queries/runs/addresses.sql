-- Statements of the match runs: addresses.

-- name: shared_hosts
SELECT host, segments FROM handfast_runs.shared_hosts ORDER BY host;

-- name: add_shared_host
INSERT INTO handfast_runs.shared_hosts (host, segments) VALUES ($1, $2)
ON CONFLICT (host) DO UPDATE SET segments = excluded.segments;

-- name: remove_shared_host
DELETE FROM handfast_runs.shared_hosts WHERE host = $1 RETURNING host;
