-- Statements of people: the generator.

-- name: clock
SELECT handfast_db.now() AS now;

-- name: made_up_so_far
SELECT coalesce(max(substr(a.phone, 8)::integer) + 1, 0) AS people
FROM handfast_identity.accounts AS a
WHERE a.phone >= $1 AND a.phone < $1 || 'a' AND length(a.phone) = 15;
