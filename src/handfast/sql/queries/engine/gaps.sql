-- Statements of the engine: gaps. {expected} is the query of an expectation, for the window from $1
-- until before $2; $3 is its kind.
--
-- A query may leave out the columns that are optional. A name that the query does not have is found
-- one level further out, in "absent": that is why those columns are written without a table.

-- name: nothing_expected
-- The least that such a query answers.
SELECT NULL::text AS key, '{}'::jsonb AS payload, $1::timestamptz AS due_at, false AS result_exists
WHERE $1 > $2::timestamptz;

-- name: list_gaps
-- Nearly all that is expected is there. So the join is made once and lets through only what is a gap,
-- and the count is made by asking again, which computes none of the columns.
WITH expected AS NOT MATERIALIZED (
    SELECT e.*
    FROM (VALUES (false)) AS absent (stale)
    CROSS JOIN LATERAL (
        SELECT q.key, q.due_at, q.result_exists, coalesce(stale::boolean, false) AS stale
        FROM {expected} AS q
    ) AS e
), gaps AS MATERIALIZED (
    SELECT f.gap, f.key::text AS key, handfast_db.readable(f.due_at) AS due_at, f.job_id, f.error
    FROM (
        SELECT e.key, e.due_at, j.id AS job_id, d.error, handfast_engine.gap(
                   e.result_exists AND NOT e.stale, e.result_exists, j.id, j.state,
                   d.error_class, d.repaired
               ) AS gap
        FROM expected AS e
        LEFT JOIN handfast_engine.jobs AS j ON j.kind = $3 AND j.key = e.key
        LEFT JOIN handfast_engine.dead AS d ON d.job_id = j.id AND d.discarded_at IS NULL
    ) AS f
    WHERE f.gap IS NOT NULL
)
SELECT (SELECT count(*) FROM expected) AS expected,
       count(*) FILTER (WHERE gap = 'missing') AS missing,
       count(*) FILTER (WHERE gap = 'result_missing') AS result_missing,
       count(*) FILTER (WHERE gap = 'stale') AS stale,
       count(*) FILTER (WHERE gap = 'dead_transient') AS dead_transient,
       count(*) FILTER (WHERE gap = 'dead') AS dead,
       ARRAY(SELECT g FROM gaps AS g ORDER BY g.due_at, g.key LIMIT $4) AS gaps
FROM gaps;

-- name: map_gaps
-- Expected against actual, by the hour or the day of UTC in which it was due.
SELECT date_trunc($4::text, f.due_at, 'UTC') AS at, count(*) AS expected,
       count(*) FILTER (WHERE f.gap IS NULL) AS there,
       count(*) FILTER (WHERE f.gap IN ('missing', 'result_missing', 'stale')) AS missing,
       count(*) FILTER (WHERE f.gap IN ('dead', 'dead_transient')) AS dead
FROM (
    SELECT e.due_at, handfast_engine.gap(
               e.result_exists AND NOT e.stale, e.result_exists, j.id, j.state, d.error_class, d.repaired
           ) AS gap
    FROM (VALUES (false)) AS absent (stale)
    CROSS JOIN LATERAL (
        SELECT q.key, q.due_at, q.result_exists, coalesce(stale::boolean, false) AS stale
        FROM {expected} AS q
    ) AS e
    LEFT JOIN handfast_engine.jobs AS j ON j.kind = $3 AND j.key = e.key
    LEFT JOIN handfast_engine.dead AS d ON d.job_id = j.id AND d.discarded_at IS NULL
) AS f
WHERE f.due_at > '-infinity' AND f.due_at < 'infinity'
GROUP BY 1 ORDER BY 1 LIMIT $5;

-- name: missing_payloads
-- A sample of what repair_gaps would enqueue.
SELECT e.key::text AS key, e.payload
FROM (VALUES (false)) AS absent (stale)
CROSS JOIN LATERAL (
    SELECT q.key, q.payload::jsonb AS payload, q.due_at,
           q.result_exists AND NOT coalesce(stale::boolean, false) AS covered
    FROM {expected} AS q
) AS e
LEFT JOIN handfast_engine.jobs AS j ON j.kind = $3 AND j.key = e.key
WHERE j.id IS NULL AND e.covered IS NOT TRUE
ORDER BY e.due_at, e.key LIMIT $4;

-- name: repair_gaps
-- At most $4 gaps, each key once. Plain ones go in by one bulk call; those with a prerequisite, an
-- anchor or a priority of their own by another, which costs more for each of them.
WITH expected AS MATERIALIZED (
    SELECT DISTINCT ON (e.key COLLATE "C") e.*
    FROM (VALUES (
        false, NULL::text, NULL::interval, '[]'::jsonb, NULL::smallint, NULL::timestamptz,
        NULL::timestamptz
    )) AS absent (stale, anchor, anchor_offset, requires, priority, deadline, anchor_at)
    CROSS JOIN LATERAL (
        SELECT q.key, q.payload::jsonb AS payload, q.due_at, q.result_exists,
               coalesce(stale::boolean, false) AS stale, anchor::text AS anchor,
               anchor_offset::interval AS anchor_offset,
               coalesce(requires::jsonb, '[]') AS requires, priority::smallint AS priority,
               deadline::timestamptz AS deadline, anchor_at::timestamptz AS anchor_at
        FROM {expected} AS q
    ) AS e
    ORDER BY e.key COLLATE "C"
), found AS (
    SELECT e.*, j.id AS job_id, j.token, handfast_engine.gap(
               e.result_exists AND NOT e.stale, e.result_exists, j.id, j.state,
               d.error_class, d.repaired
           ) AS gap
    FROM expected AS e
    LEFT JOIN handfast_engine.jobs AS j ON j.kind = $3 AND j.key = e.key
    LEFT JOIN handfast_engine.dead AS d ON d.job_id = j.id AND d.discarded_at IS NULL
), able AS MATERIALIZED (
    SELECT f.*, jsonb_strip_nulls(jsonb_build_object(
               'anchor', f.anchor, 'offset', f.anchor_offset, 'requires', nullif(f.requires, '[]'),
               'priority', f.priority, 'deadline', f.deadline
           )) AS options,
           NOT EXISTS (
               SELECT 1 FROM jsonb_array_elements(f.requires) AS r
               WHERE NOT EXISTS (
                   SELECT 1 FROM handfast_engine.jobs AS j WHERE j.kind = r ->> 0 AND j.key = r ->> 1
               )
           ) AS can
    FROM found AS f
    WHERE f.gap IN ('missing', 'result_missing', 'stale', 'dead_transient')
    ORDER BY can DESC, f.due_at, f.key LIMIT $4
), bulk AS (
    SELECT count(*) FILTER (WHERE m.created) AS n
    FROM (
        SELECT array_agg(a.key ORDER BY a.key COLLATE "C") AS keys,
               array_agg(a.payload ORDER BY a.key COLLATE "C") AS payloads,
               array_agg(a.due_at ORDER BY a.key COLLATE "C") AS dues
        FROM able AS a WHERE a.gap = 'missing' AND a.options = '{}'
    ) AS p
    CROSS JOIN LATERAL handfast_engine.enqueue_many($3, p.keys, p.payloads, p.dues) AS m
    WHERE p.keys IS NOT NULL
), placed AS MATERIALIZED (
    SELECT handfast_engine.set_anchors(array_agg(n.anchor), array_agg(n.anchor_at))
    FROM (
        SELECT DISTINCT a.anchor, a.anchor_at FROM able AS a
        WHERE a.gap = 'missing' AND a.can AND a.anchor_at IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM handfast_engine.anchors AS x WHERE x.name = a.anchor)
    ) AS n
    HAVING count(*) > 0
), each AS (
    SELECT count(*) FILTER (WHERE m.created) AS n
    FROM (
        SELECT array_agg(a.key ORDER BY a.key COLLATE "C") AS keys,
               array_agg(a.payload ORDER BY a.key COLLATE "C") AS payloads,
               array_agg(a.due_at ORDER BY a.key COLLATE "C") AS dues,
               array_agg(a.options ORDER BY a.key COLLATE "C") AS options
        FROM able AS a WHERE a.gap = 'missing' AND a.options <> '{}' AND a.can
    ) AS p
    CROSS JOIN (SELECT count(*) AS n FROM placed) AS first  -- its n is an argument: comes first
    CROSS JOIN LATERAL handfast_engine.enqueue_each(
        $3, CASE WHEN first.n >= 0 THEN p.keys END, p.payloads, p.dues, p.options
    ) AS m
    WHERE p.keys IS NOT NULL
), revived AS (
    SELECT count(*) FILTER (
        WHERE handfast_engine.revive_same(a.job_id, a.token, a.due_at, a.payload, a.options - 'requires')
    ) AS n
    FROM (SELECT * FROM able WHERE gap IN ('result_missing', 'stale') ORDER BY job_id) AS a
), requeued AS (
    SELECT coalesce(cardinality(handfast_engine.requeue(p.ids, true)), 0) AS n
    FROM (
        SELECT array_agg(a.job_id ORDER BY a.job_id) AS ids FROM able AS a
        WHERE a.gap = 'dead_transient'
    ) AS p
    WHERE p.ids IS NOT NULL
)
SELECT (SELECT n FROM bulk) + (SELECT n FROM each) AS enqueued,
       (SELECT n FROM revived) AS revived,
       coalesce((SELECT n FROM requeued), 0)::bigint AS requeued,
       (SELECT count(*) FROM able WHERE gap = 'missing' AND NOT can) AS waiting,
       (SELECT count(*) FROM found WHERE gap = 'dead') AS dead;
