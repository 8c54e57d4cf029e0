-- Statements of the engine: work.

-- name: claim
-- As a transaction of its own: it need not be flushed.
SELECT id, token, attempt, kind, key, payload, version, date_part('epoch', due_at) AS due, alone,
       lane, priority
FROM handfast_engine.claim($1, $2::text[], $3, NULL, $4::jsonb, $5::text[], $6::smallint[], false);

-- name: finish
-- Those that were accepted; null if that is all of them, as nearly always.
SELECT CASE WHEN cardinality(f.accepted) < cardinality($1) THEN f.accepted END AS accepted
FROM handfast_engine.finish($1::bigint[], $2::bigint[], $3::jsonb[]) AS f(accepted);

-- name: hold
SELECT handfast_engine.hold($1::bigint[], $2::bigint[]);

-- name: end_attempts
SELECT id, state FROM handfast_engine.end_attempts(
    $1::bigint[], $2::bigint[], $3::text[], $4::jsonb[], $5::text[], $6::text[], $7::text[],
    $8::timestamptz[]
);

-- name: fail
SELECT handfast_engine.fail($1, $2, $3, $4, $5, $6)::text;

-- name: acknowledge_cancel
SELECT handfast_engine.acknowledge_cancel($1, $2);

-- name: hand_back
SELECT handfast_engine.hand_back($1::bigint[], $2::bigint[]);

-- name: register_worker
SELECT handfast_engine.register_worker($1, $2::text[], $3, $4::text[]);

-- name: beat
-- For all workers of a process at once; null for one that has been given up.
SELECT w.id AS worker, handfast_engine.beat(w.id, w.lease) AS cancelled
FROM unnest($1::bigint[], $2::interval[]) AS w(id, lease);

-- name: orphans
SELECT l.id, l.token FROM handfast_engine.live AS l
WHERE l.worker = $1 AND l.state = 'running' AND NOT l.id = ANY ($2::bigint[]);

-- name: end_worker
SELECT handfast_engine.end_worker($1);

-- name: report_progress
SELECT coalesce(array_agg(n.id), '{}') FROM unnest($1::bigint[], $2::bigint[]) AS n(id, token)
WHERE handfast_engine.report_progress(n.id, n.token, $3::real, $4);
