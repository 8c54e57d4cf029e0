-- Statements of the rate limits: buckets.

-- name: take
SELECT t.admitted, t.remaining, t.reset_us, t.retry_after_us
FROM handfast_limits.take($1, $2, $3, $4, $5, $6) AS t;

-- name: prune
SELECT p.looked_at, p.pruned, p.last_name, p.last_subject FROM handfast_limits.prune($1, $2, $3) AS p;

-- name: take_exact
SELECT t.admitted, t.remaining, t.reset_us, t.retry_after_us, t.behind
FROM handfast_limits.take_exact($1, $2, $3, $4, $5, $6) AS t;
