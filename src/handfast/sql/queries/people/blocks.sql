-- Statements of people: blocks.

-- name: user_exists
SELECT EXISTS (
    SELECT 1 FROM handfast_identity.accounts AS a WHERE a.id = $1 AND a.erased_at IS NULL
) AS known;

-- name: add_block
WITH made AS (
    INSERT INTO handfast_people.blocks (user_id, blocked_id, blocked_at, reason)
    VALUES ($1, $2, handfast_db.now(), $3)
    ON CONFLICT (user_id, blocked_id) DO UPDATE SET blocked_id = excluded.blocked_id
    RETURNING blocked_at, xmax = 0 AS new
)
SELECT m.blocked_at, m.new FROM made AS m;

-- name: blocks
SELECT b.blocked_id AS user_id, b.blocked_at
FROM handfast_people.blocks AS b
WHERE b.user_id = $1
ORDER BY b.blocked_at DESC, b.blocked_id
LIMIT $2;

-- name: remove_block
DELETE FROM handfast_people.blocks AS b
WHERE b.user_id = $1 AND b.blocked_id = $2
RETURNING b.blocked_id;
