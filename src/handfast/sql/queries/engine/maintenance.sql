-- Statements of the engine: maintenance.

-- name: look
SELECT promoted, date_part('epoch', next_due) - date_part('epoch', handfast_db.now()) AS wait, ready
FROM handfast_engine.look($1::text[], $2);

-- name: sleep
UPDATE handfast_engine.workers SET asleep = $2 WHERE id = $1;

-- name: rescue
SELECT rescued, date_part('epoch', handfast_engine.next_lease_end()) - date_part('epoch', handfast_db.now()) AS wait
FROM handfast_engine.rescue($1) AS r(rescued);

-- name: escalate
SELECT handfast_engine.escalate($1);

-- name: make_partitions
SELECT handfast_engine.make_partitions($1);

-- name: drop_history
SELECT handfast_engine.drop_history(handfast_db.now() - $1::interval);

-- name: prune
SELECT handfast_engine.prune(handfast_db.now() - $1::interval, $2);

-- name: forget_identities
SELECT handfast_engine.forget_identities($1, $2);

-- name: forget_aggregates
SELECT handfast_engine.forget_aggregates($1, handfast_db.now() - $2::interval, $3);

-- name: take_chores
SELECT name, ours, date_part('epoch', wait) AS wait
FROM handfast_engine.take_chores($1::text[], $2::interval[]);
