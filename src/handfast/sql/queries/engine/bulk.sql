-- Statements of the engine: one action on all that match. Each scan looks at $1 rows at most, behind
-- the place $2, and answers those that match, how far it came, and how many it has looked at. Bulk
-- actions themselves never match: one that cancels everything would end itself.

-- name: bulk_dead
SELECT coalesce(array_agg(d.job_id) FILTER (
           WHERE d.discarded_at IS NULL AND d.died_at <= $3
             AND ($4::text IS NULL OR d.kind = $4) AND ($5::text IS NULL OR d.lane = $5)
             AND ($6::text IS NULL OR d.error_class = $6)
             AND ($7::text IS NULL OR strpos(lower(d.error), lower($7)) > 0 OR d.key ^@ $7)
             AND ($8::timestamptz IS NULL OR d.died_at >= $8)
       ), '{}') AS ids,
       max(d.job_id)::text AS place, count(*) AS looked
FROM (
    SELECT i.job_id, i.discarded_at, i.died_at, i.kind, i.lane, i.error_class, i.error, i.key
    FROM handfast_engine.dead AS i WHERE i.job_id > coalesce($2::text, '0')::bigint
    ORDER BY i.job_id LIMIT $1
) AS d;

-- name: bulk_dead_of_kind
-- By its own index, among those that were not discarded: the place is a time and an id.
SELECT coalesce(array_agg(d.job_id) FILTER (
           WHERE ($5::text IS NULL OR d.lane = $5) AND ($6::text IS NULL OR d.error_class = $6)
             AND ($7::text IS NULL OR strpos(lower(d.error), lower($7)) > 0 OR d.key ^@ $7)
             AND ($8::timestamptz IS NULL OR d.died_at >= $8)
       ), '{}') AS ids,
       (array_agg(d.died_at::text || ' ' || d.job_id ORDER BY d.died_at, d.job_id))[1] AS place,
       count(*) AS looked
FROM (
    SELECT i.job_id, i.died_at, i.lane, i.error_class, i.error, i.key
    FROM handfast_engine.dead AS i
    WHERE i.kind = $4 AND i.discarded_at IS NULL AND i.died_at <= $3
      AND (i.died_at, i.job_id) < (
          coalesce(regexp_replace($2::text, ' \d+$', '')::timestamptz, 'infinity'),
          coalesce(substring($2::text FROM '\d+$')::bigint, 9223372036854775807)
      )
    ORDER BY i.died_at DESC, i.job_id DESC LIMIT $1
) AS d;

-- name: bulk_live
SELECT coalesce(array_agg(l.id) FILTER (
           WHERE j.enqueued_at <= $3 AND l.kind <> 'engine.bulk' AND ($4::text IS NULL OR l.lane = $4)
             AND ($5::text IS NULL OR l.state = $5::text::handfast_engine.job_state)
             AND ($6::text IS NULL OR l.key ^@ $6)
       ), '{}') AS ids,
       max(l.id)::text AS place, count(*) AS looked
FROM (
    SELECT i.id, i.lane, i.state, i.kind, i.key FROM handfast_engine.live AS i
    WHERE i.id > coalesce($2::text, '0')::bigint ORDER BY i.id LIMIT $1
) AS l
JOIN handfast_engine.jobs AS j ON j.id = l.id;

-- name: bulk_ended
SELECT coalesce(array_agg(j.id) FILTER (
           WHERE j.enqueued_at <= $3 AND j.state IN ('succeeded', 'cancelled', 'skipped')
             AND j.kind <> 'engine.bulk'
             AND ($4::text IS NULL OR j.state = $4::text::handfast_engine.job_state)
             AND ($5::text IS NULL OR j.key ^@ $5)
       ), '{}') AS ids,
       max(j.id)::text AS place, count(*) AS looked
FROM (
    SELECT i.id, i.enqueued_at, i.state, i.kind, i.key FROM handfast_engine.jobs AS i
    WHERE i.id > coalesce($2::text, '0')::bigint ORDER BY i.id LIMIT $1
) AS j;

-- name: bulk_of_kind
-- Along the identities of a kind, live ones ($4) or ended ones; the place is a key.
SELECT coalesce(array_agg(j.id ORDER BY j.id) FILTER (
           WHERE j.enqueued_at <= $3 AND $5 <> 'engine.bulk'
             AND CASE WHEN $4 THEN l.id IS NOT NULL
                      ELSE j.state IN ('succeeded', 'cancelled', 'skipped') END
             AND ($6::text IS NULL OR l.lane = $6)
             AND ($7::text IS NULL OR coalesce(j.state, l.state) = $7::text::handfast_engine.job_state)
       ), '{}') AS ids,
       max(j.key)::text AS place, count(*) AS looked
FROM (
    SELECT i.id, i.key, i.enqueued_at, i.state FROM handfast_engine.jobs AS i
    WHERE i.kind = $5 AND i.key > coalesce($2::text, '') AND i.key >= $8 AND i.key < $8 || chr(1114111)
    ORDER BY i.key LIMIT $1
) AS j
LEFT JOIN handfast_engine.live AS l ON l.id = j.id;

-- name: bulk_retry
-- Workers go on meanwhile: what is in another state when its row is locked is left alone.
WITH held AS MATERIALIZED (
    SELECT l.id FROM handfast_engine.live AS l
    WHERE l.id = ANY ($1::bigint[]) AND l.state = 'scheduled' ORDER BY l.id FOR UPDATE
)
SELECT coalesce(array_agg(h.id), '{}')
FROM held AS h CROSS JOIN LATERAL handfast_engine.retry(h.id) AS r WHERE r.changed;

-- name: bulk_cancel
-- As above; $3 is the state that the filter names.
WITH held AS MATERIALIZED (
    SELECT l.id FROM handfast_engine.live AS l
    WHERE l.id = ANY ($1::bigint[])
      AND ($3::text IS NULL OR l.state = $3::text::handfast_engine.job_state)
    ORDER BY l.id FOR UPDATE
)
SELECT coalesce(array_agg(h.id) FILTER (WHERE c.state IN ('cancelled', 'running')), '{}')
FROM held AS h CROSS JOIN LATERAL handfast_engine.cancel(h.id, $2) AS c(state);

-- name: bulk_revive
SELECT coalesce(array_agg(n.id) FILTER (WHERE r.revived), '{}')
FROM (SELECT u.id FROM unnest($1::bigint[]) AS u(id) ORDER BY u.id) AS n
CROSS JOIN LATERAL handfast_engine.revive_kept(n.id) AS r(revived);

-- name: bulk_ask
INSERT INTO handfast_engine.bulk_actions (
    asked_at, undo_until, matched, at_least, action, asked_by, reason, request_id, filter
)
SELECT n.now, n.now + $1::interval, $2, $3, $4, $5, $6, $7, $8::jsonb
FROM (SELECT handfast_db.now()) AS n(now)
RETURNING id;

-- name: bulk_job
UPDATE handfast_engine.bulk_actions SET job_id = $2 WHERE id = $1;

-- name: bulk_lock
SELECT b.id FROM handfast_engine.bulk_actions AS b WHERE b.id = $1 FOR UPDATE;

-- name: bulk_undo
-- While nothing has been done; its job ends in the same statement. The row is locked before.
UPDATE handfast_engine.bulk_actions AS b SET undone_at = handfast_db.now(), undone_by = $2
WHERE b.id = $1 AND b.undone_at IS NULL AND b.place IS NULL
  AND handfast_engine.withdraw(b.job_id, 'cancelled', 'undone by ' || $2)
RETURNING b.id;

-- name: bulk_begin
-- Held until the page is done: two attempts that both believe in it take turns.
SELECT b.action, b.filter, b.reason, b.asked_by, b.request_id, b.asked_at, b.place, b.matched,
       b.at_least, b.changed, b.passed
FROM handfast_engine.bulk_actions AS b WHERE b.id = $1 AND b.undone_at IS NULL FOR UPDATE;

-- name: bulk_went_on
UPDATE handfast_engine.bulk_actions AS b
SET place = $2, changed = b.changed + $3, passed = b.passed + $4 WHERE b.id = $1;

-- name: bulk_actions
SELECT b.id, b.action, b.filter, b.reason, b.asked_by, b.asked_at, b.undo_until, b.undone_at,
       b.undone_by, b.matched, b.at_least, b.changed, b.passed, b.place IS NOT NULL AS begun, b.job_id,
       coalesce(j.state, l.state)::text AS job_state
FROM (
    SELECT i.* FROM handfast_engine.bulk_actions AS i
    WHERE ($1::bigint IS NULL OR i.id = $1) AND ($2::bigint IS NULL OR i.id < $2)
    ORDER BY i.id DESC LIMIT $3
) AS b
LEFT JOIN handfast_engine.jobs AS j ON j.id = b.job_id
LEFT JOIN handfast_engine.live AS l ON l.id = b.job_id
ORDER BY b.id DESC;
