-- Statements of people: copies of one's data, and its end.

-- name: own_data
SELECT jsonb_build_object(
    'signIns', (
        SELECT coalesce(jsonb_agg(jsonb_build_object(
            'id', s.id, 'createdAt', s.created_at, 'lastUsedAt', s.last_used_at,
            'endedAt', s.ended_at) ORDER BY s.created_at), '[]')
        FROM handfast_identity.sign_ins AS s WHERE s.account_id = $1),
    'responses', (
        SELECT coalesce(jsonb_agg(jsonb_build_object(
            'questionId', r.question_id, 'version', r.version, 'answer', r.answer,
            'importance', r.importance, 'wish', r.wish, 'answeredAt', r.answered_at)
            ORDER BY r.question_id), '[]')
        FROM handfast_people.compatibility_responses AS r WHERE r.user_id = $1),
    'blocks', (
        SELECT coalesce(jsonb_agg(jsonb_build_object(
            'userId', b.blocked_id, 'blockedAt', b.blocked_at, 'reason', b.reason)
            ORDER BY b.blocked_at), '[]')
        FROM handfast_people.blocks AS b WHERE b.user_id = $1),
    'verifications', (
        SELECT coalesce(jsonb_agg(jsonb_build_object(
            'id', v.id, 'createdAt', v.created_at, 'status', v.status,
            'failureReason', v.failure_reason, 'consentVersion', v.consent_version)
            ORDER BY v.created_at), '[]')
        FROM handfast_people.verification_sessions AS v WHERE v.user_id = $1),
    'reportsMade', (
        SELECT coalesce(jsonb_agg(jsonb_build_object(
            'id', p.id, 'createdAt', p.created_at, 'type', p.type, 'subjectId', p.subject_id,
            'category', p.category, 'description', p.description) ORDER BY p.created_at), '[]')
        FROM handfast_people.reports AS p WHERE p.reporter_id = $1)
)::text AS data;

-- name: lock_user
SELECT u.id FROM handfast_people.users AS u WHERE u.id = $1 FOR NO KEY UPDATE;

-- name: latest_export
SELECT e.id, e.requested_at, e.ready_at,
       e.gone_at IS NOT NULL OR coalesce(e.ready_at + $3::interval <= handfast_db.now(), false)
           AS gone,
       extract(epoch FROM e.requested_at + $2::interval - handfast_db.now())::float8 AS wait
FROM handfast_people.users AS u
JOIN handfast_people.exports AS e ON e.user_id = u.id
WHERE u.id = $1
ORDER BY e.requested_at DESC
LIMIT 1;

-- name: ask_export
INSERT INTO handfast_people.exports (id, user_id, requested_at)
VALUES ($1, $2, handfast_db.now())
RETURNING requested_at;

-- name: link_export
-- One that has most of its time left is answered again: whoever asks all day makes no row each time.
WITH kept AS (
    SELECT l.id, l.expires_at
    FROM handfast_people.export_links AS l
    WHERE l.export_id = $2 AND l.sign_in_id = $3
      AND l.expires_at > handfast_db.now() + $4::interval * 2 / 3
    ORDER BY l.expires_at DESC
    LIMIT 1
), made AS (
    INSERT INTO handfast_people.export_links (id, export_id, sign_in_id, expires_at)
    SELECT $1, e.id, $3, least(handfast_db.now() + $4::interval, e.ready_at + $5::interval)
    FROM handfast_people.exports AS e
    WHERE e.id = $2 AND NOT EXISTS (SELECT FROM kept)
    RETURNING id, expires_at
)
SELECT k.id, k.expires_at FROM kept AS k
UNION ALL
SELECT m.id, m.expires_at FROM made AS m;

-- name: fetch_export
SELECT e.id
FROM handfast_people.export_links AS l
JOIN handfast_people.exports AS e ON e.id = l.export_id
WHERE l.id = $1 AND e.user_id = $2 AND l.sign_in_id = $3
  AND l.expires_at > handfast_db.now() AND e.gone_at IS NULL;

-- name: photo_ids
SELECT p.id FROM handfast_people.photos AS p WHERE p.user_id = $1 ORDER BY p.created_at, p.id;

-- name: export_ready
UPDATE handfast_people.exports AS e SET ready_at = handfast_db.now()
WHERE e.id = $1 AND e.ready_at IS NULL;

-- name: old_exports
SELECT e.id, e.user_id
FROM handfast_people.exports AS e
WHERE e.gone_at IS NULL AND e.ready_at <= handfast_db.now() - $1::interval
ORDER BY e.ready_at
LIMIT 1000;

-- name: export_gone
WITH links AS (DELETE FROM handfast_people.export_links AS l WHERE l.export_id = $1)
UPDATE handfast_people.exports AS e SET gone_at = handfast_db.now() WHERE e.id = $1;

-- name: erase_user
DELETE FROM handfast_people.users AS u WHERE u.id = $1;

-- name: mark_suspended
INSERT INTO handfast_people.users AS u (id, created_at, updated_at, suspended)
VALUES ($1, handfast_db.now(), handfast_db.now(), $2)
ON CONFLICT (id) DO UPDATE SET suspended = excluded.suspended, updated_at = excluded.updated_at;

-- name: mark_deleted
INSERT INTO handfast_people.users AS u (id, created_at, updated_at, deleted_at)
VALUES ($1, handfast_db.now(), handfast_db.now(), CASE WHEN $2 THEN handfast_db.now() END)
ON CONFLICT (id) DO UPDATE SET deleted_at = excluded.deleted_at, updated_at = excluded.updated_at;
