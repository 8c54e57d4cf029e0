-- Statements of the webhooks: sending.

-- name: relay
SELECT handfast_webhooks.relay($1) AS taken;

-- name: replay
SELECT r.replay, r.deliveries FROM handfast_webhooks.replay($1, $2, $3, $4, $5, $6) AS r;

-- name: event_exists
SELECT EXISTS (SELECT 1 FROM handfast_engine.emitted_events AS e WHERE e.id = $1) AS found;

-- name: attempts
SELECT a.id, a.at, a.event_id, a.event_type, a.attempt, a.outcome, a.status, a.seconds, a.error,
       a.excerpt, a.job_id
FROM handfast_webhooks.attempts AS a
WHERE a.endpoint_id = $1 AND ($2::bigint IS NULL OR a.id < $2)
ORDER BY a.id DESC
LIMIT $3;

-- name: attempts_since
SELECT a.id, a.at, a.event_id, a.event_type, a.attempt, a.outcome, a.status, a.seconds, a.error,
       a.excerpt, a.job_id
FROM handfast_webhooks.attempts AS a
WHERE a.id > $1 AND ($2::uuid IS NULL OR a.endpoint_id = $2)
ORDER BY a.id
LIMIT $3;

-- name: last_attempt
SELECT coalesce(max(a.id), 0) AS id FROM handfast_webhooks.attempts AS a;

-- name: deliveries
SELECT e.url, e.state, e.reason,
       ARRAY(SELECT s.secret FROM handfast_webhooks.secrets AS s
             WHERE s.endpoint_id = e.id AND (s.expires_at IS NULL OR s.expires_at > handfast_db.now())
             -- Each makes the signature's header longer, and receivers bound those.
             ORDER BY s.number DESC LIMIT 5) AS secrets,
       v.type, v.at, v.aggregate, v.sequence, v.data::text AS data, handfast_db.now() AS now
FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY AS w(event_id, endpoint_id, place)
LEFT JOIN handfast_webhooks.endpoints AS e ON e.id = w.endpoint_id
LEFT JOIN handfast_engine.emitted_events AS v ON v.id = w.event_id
ORDER BY w.place;

-- name: record_attempts
SELECT handfast_webhooks.record_attempts(
    $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14
);

-- name: prune
SELECT handfast_webhooks.prune(handfast_db.now() - $1::interval, $2) AS pruned;

-- name: deliveries_of_events
-- By the identity of deliveries, one range of the index for each event.
SELECT n.event::uuid AS event_id, split_part(j.key, ':', 2)::uuid AS endpoint_id, j.id AS job_id,
       coalesce(j.state, l.state)::text AS state
FROM unnest($1::text[]) AS n(event)
CROSS JOIN LATERAL (
    SELECT k.id, k.key, k.state FROM handfast_engine.known_jobs AS k
    WHERE k.kind = 'webhooks.deliver' AND k.key > n.event || ':' AND k.key < n.event || ';'
    ORDER BY k.key LIMIT $2
) AS j
LEFT JOIN handfast_engine.live_jobs AS l ON l.id = j.id
ORDER BY j.id LIMIT $2;

-- name: reach_of_attempts
-- How far back a page looks: below this id nothing was looked at, and 0 is the end.
SELECT coalesce((
    SELECT a.id FROM handfast_webhooks.attempts AS a
    WHERE a.id < coalesce($1::bigint, 9223372036854775807) ORDER BY a.id DESC OFFSET $2 LIMIT 1
), 0) AS reach;

-- name: newest_attempts
SELECT a.id, a.at, a.event_id, a.event_type, a.attempt, a.outcome, a.status, a.seconds, a.error,
       a.excerpt, a.job_id, a.endpoint_id
FROM handfast_webhooks.attempts AS a
WHERE a.id < coalesce($1::bigint, 9223372036854775807) AND a.id > $2::bigint
  AND ($3::text IS NULL OR a.outcome = $3::text)
ORDER BY a.id DESC LIMIT $4;
