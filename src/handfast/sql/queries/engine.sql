-- Statements of the engine. What must be atomic is a function; these are how Python calls them.

-- name: declare_kinds
INSERT INTO engine.kinds AS k
    (kind, lane, priority, version, policy, group_name, horizon, on_prerequisite_death)
SELECT * FROM unnest(
    $1::text[], $2::text[], $3::smallint[], $4::smallint[], $5::jsonb[], $6::text[],
    $7::interval[], $8::text[]
)
ON CONFLICT (kind) DO UPDATE SET
    lane = excluded.lane, priority = excluded.priority, version = excluded.version,
    policy = excluded.policy, group_name = excluded.group_name, horizon = excluded.horizon,
    on_prerequisite_death = excluded.on_prerequisite_death, declared_at = clock_timestamp()
WHERE (k.lane, k.priority, k.version, k.policy, k.group_name, k.horizon, k.on_prerequisite_death)
    IS DISTINCT FROM (excluded.lane, excluded.priority, excluded.version, excluded.policy,
                      excluded.group_name, excluded.horizon, excluded.on_prerequisite_death)
    -- A worker of an older program that starts later must not undo what a newer one declared.
    AND excluded.version >= k.version;

-- name: declare_groups
INSERT INTO engine.groups AS g (name, max_running)
SELECT * FROM unnest($1::text[], $2::integer[])
ON CONFLICT (name) DO UPDATE SET max_running = excluded.max_running
WHERE g.max_running <> excluded.max_running;

-- name: enqueue
SELECT id, created, state::text AS state
FROM engine.enqueue($1, $2, $3::jsonb, coalesce($4, db.now() + $5::interval), $6::jsonb);

-- name: enqueue_many
SELECT ordinal, id, created, state::text AS state
FROM engine.enqueue_many($1, $2::text[], $3::jsonb[], $4::timestamptz[], $5::jsonb);

-- name: result
SELECT a.job_id IS NOT NULL AS found, a.result
FROM engine.jobs AS j
LEFT JOIN engine.attempts AS a
    ON a.job_id = j.id AND a.finished_at = j.finished_at AND a.token = j.token
WHERE j.id = $1;

-- name: claim
SELECT id, token, attempt, failures, kind, key, payload, version, due_at, started_at, alone, lane,
       priority
FROM engine.claim($1, $2::text[], $3, NULL, $4::jsonb);

-- name: finish
SELECT engine.finish($1::bigint[], $2::bigint[], $3::jsonb[]);

-- name: fail
SELECT engine.fail($1, $2, $3, $4, $5, $6)::text;

-- name: acknowledge_cancel
SELECT engine.acknowledge_cancel($1, $2);

-- name: hand_back
SELECT engine.hand_back($1::bigint[], $2::bigint[]);

-- name: register_worker
SELECT engine.register_worker($1, $2::text[], $3);

-- name: beat
SELECT engine.beat($1, $2);

-- name: orphans
SELECT l.id, l.token FROM engine.live AS l
WHERE l.worker = $1 AND l.state = 'running' AND NOT l.id = ANY ($2::bigint[]);

-- name: end_worker
SELECT engine.end_worker($1);

-- name: report_progress
SELECT engine.report_progress($1, $2, $3::real, $4);

-- name: promote
SELECT promoted, next_due FROM engine.promote($1);

-- name: rescue
SELECT engine.rescue($1);

-- name: escalate
SELECT engine.escalate($1);

-- name: make_partitions
SELECT engine.make_partitions($1);

-- name: emit
SELECT engine.emit($1, $2, $3::jsonb)::text;

-- name: drop_history
SELECT engine.drop_history(db.now() - $1::interval);

-- name: prune
SELECT engine.prune(db.now() - $1::interval, $2);

-- name: forget_identities
SELECT engine.forget_identities($1, $2);
