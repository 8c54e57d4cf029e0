-- Statements of the engine: maintenance.

-- name: look
SELECT promoted, date_part('epoch', next_due) - date_part('epoch', db.now()) AS wait, ready
FROM engine.look($1::text[], $2);

-- name: sleep
UPDATE engine.workers SET asleep = $2 WHERE id = $1;

-- name: rescue
SELECT rescued, date_part('epoch', engine.next_lease_end()) - date_part('epoch', db.now()) AS wait
FROM engine.rescue($1) AS r(rescued);

-- name: escalate
SELECT engine.escalate($1);

-- name: make_partitions
SELECT engine.make_partitions($1);

-- name: drop_history
SELECT engine.drop_history(db.now() - $1::interval);

-- name: prune
SELECT engine.prune(db.now() - $1::interval, $2);

-- name: forget_identities
SELECT engine.forget_identities($1, $2);

-- name: take_chores
SELECT name, ours, date_part('epoch', wait) AS wait
FROM engine.take_chores($1::text[], $2::interval[]);
