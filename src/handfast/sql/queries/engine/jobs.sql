-- Statements of the engine: jobs.

-- name: declare_kinds
INSERT INTO handfast_engine.kinds AS k
    (kind, lane, priority, version, policy, group_name, horizon, on_prerequisite_death, durable_claim)
SELECT * FROM unnest(
    $1::text[], $2::text[], $3::smallint[], $4::smallint[], $5::jsonb[], $6::text[],
    $7::interval[], $8::text[], $9::boolean[]
)
ON CONFLICT (kind) DO UPDATE SET
    lane = excluded.lane, priority = excluded.priority, version = excluded.version,
    policy = excluded.policy, group_name = excluded.group_name, horizon = excluded.horizon,
    on_prerequisite_death = excluded.on_prerequisite_death, durable_claim = excluded.durable_claim,
    declared_at = clock_timestamp()
WHERE (k.lane, k.priority, k.version, k.policy, k.group_name, k.horizon, k.on_prerequisite_death,
       k.durable_claim)
    IS DISTINCT FROM (excluded.lane, excluded.priority, excluded.version, excluded.policy,
                      excluded.group_name, excluded.horizon, excluded.on_prerequisite_death,
                      excluded.durable_claim)
    -- A worker of an older program that starts later must not undo what a newer one declared.
    AND excluded.version >= k.version;

-- name: declare_groups
INSERT INTO handfast_engine.groups AS g (name, max_running)
SELECT * FROM unnest($1::text[], $2::integer[])
ON CONFLICT (name) DO UPDATE SET max_running = excluded.max_running
WHERE g.max_running <> excluded.max_running;

-- name: enqueue
SELECT id, created, state::text AS state
FROM handfast_engine.enqueue(
    $1, $2, $3::jsonb,
    CASE WHEN $5::interval IS NULL THEN $4::timestamptz ELSE handfast_db.now() + $5::interval END, $6::jsonb
);

-- name: enqueue_everyday
-- What handfast_engine.enqueue does for a job without ties, in one statement: no row if the identity
-- exists. $8: idle workers are told after the commit, by who sent this, and told says what.
WITH made AS (
    INSERT INTO handfast_engine.jobs (kind, key, enqueued_at)
    VALUES ($1::text, $2::text, handfast_db.now())
    ON CONFLICT (kind, key) DO NOTHING
    RETURNING id, enqueued_at
), put AS (
    INSERT INTO handfast_engine.live (
        id, token, due_at, first_due_at, state, priority, base_priority, version, lane, kind, key,
        payload, group_name
    )
    SELECT m.id, 0, n.due, n.due, handfast_engine.first_state(0, n.due, m.enqueued_at), n.priority,
           n.priority, coalesce($7::smallint, k.version, 1::smallint),
           coalesce($5::text, k.lane, 'default'), $1::text, $2::text, $3::jsonb, k.group_name
    FROM made AS m
    LEFT JOIN handfast_engine.kinds AS k ON k.kind = $1::text
    CROSS JOIN LATERAL (
        SELECT coalesce($4::timestamptz, m.enqueued_at) AS due,
               coalesce($6::smallint, k.priority, 10::smallint) AS priority
    ) AS n
    RETURNING id, state, lane
)
SELECT p.id, p.state::text AS state, CASE
    WHEN p.state = 'ready' AND EXISTS (
        SELECT 1 FROM handfast_engine.workers AS w
        WHERE w.idle AND w.ended_at IS NULL AND p.lane = ANY (w.lanes)
          AND (w.kinds IS NULL OR $1::text = ANY (w.kinds))
    ) THEN CASE WHEN $8::boolean THEN h.hint ELSE pg_notify('handfast_ready', h.hint)::text END
    END AS told
FROM put AS p CROSS JOIN LATERAL (SELECT to_json(ARRAY[p.lane, $1::text])::text) AS h(hint);

-- name: idle_for
-- What to tell the idle workers that can do this kind on this lane; no row if there are none.
SELECT to_json(ARRAY[$1::text, $2::text])::text WHERE EXISTS (
    SELECT 1 FROM handfast_engine.workers AS w
    WHERE w.idle AND w.ended_at IS NULL AND $1::text = ANY (w.lanes)
      AND (w.kinds IS NULL OR $2::text = ANY (w.kinds))
);

-- name: enqueue_bulk
SELECT ids, created, states::text[] AS states
FROM handfast_engine.enqueue_bulk($1, $2::text[], $3::jsonb[], $4::timestamptz[], $5::jsonb);

-- name: result
SELECT a.job_id IS NOT NULL AS found, a.result
FROM handfast_engine.jobs AS j
LEFT JOIN handfast_engine.attempts AS a
    ON a.job_id = j.id AND a.finished_at = j.finished_at AND a.token = j.token
WHERE j.id = $1;

-- name: clock
SELECT handfast_db.now();
