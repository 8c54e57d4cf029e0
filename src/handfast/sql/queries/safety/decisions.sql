-- Statements of safety: enforcement actions and appeals.

-- name: add_action
-- One that is there already stays as it is, but for whom it is about: a ban comes back with the
-- phone, and is the new account's then, with the appeal against it.
WITH taken_along AS (
    UPDATE handfast_safety.appeals AS p SET user_id = $2
    WHERE p.action_id = $1 AND p.user_id <> $2
)
INSERT INTO handfast_safety.enforcement_actions AS a
    (id, user_id, report_id, decided_at, until, decision, decided_by, note)
VALUES ($1, $2, $3, handfast_db.now(), $4, $5, $6, $7)
ON CONFLICT (id) DO UPDATE SET user_id = excluded.user_id WHERE a.user_id <> excluded.user_id;

-- name: action_of_report
SELECT a.id FROM handfast_safety.enforcement_actions AS a WHERE a.report_id = $1;

-- name: actions_of
SELECT a.id, a.report_id, a.decided_at, a.until, a.reversed_at, a.decision, a.decided_by, a.note
FROM handfast_safety.enforcement_actions AS a
WHERE a.user_id = $1
ORDER BY a.decided_at DESC, a.id
LIMIT 100;

-- name: lock_action
-- Whoever appeals and whoever decides the appeal come one after the other.
SELECT a.user_id, a.decision, a.reversed_at IS NOT NULL AS reversed
FROM handfast_safety.enforcement_actions AS a
WHERE a.id = $1
FOR UPDATE;

-- name: reverse_action
UPDATE handfast_safety.enforcement_actions AS a SET reversed_at = handfast_db.now()
WHERE a.id = $1 AND a.reversed_at IS NULL;

-- name: appeal_of
SELECT p.id, p.decided_at IS NOT NULL AS decided FROM handfast_safety.appeals AS p WHERE p.action_id = $1;

-- name: add_appeal
INSERT INTO handfast_safety.appeals (id, action_id, user_id, created_at, reason)
VALUES ($1, $2, $3, handfast_db.now(), $4);

-- name: appeal
SELECT p.id, p.action_id, p.user_id, p.created_at, p.decided_at, p.outcome, p.decided_by, p.reason,
       p.note, a.decision, a.until
FROM handfast_safety.appeals AS p
JOIN handfast_safety.enforcement_actions AS a ON a.id = p.action_id
WHERE p.id = $1;

-- name: appeals
-- The oldest first.
SELECT p.id, p.action_id, p.user_id, p.created_at, p.decided_at, p.outcome, p.decided_by, p.reason,
       p.note, a.decision, a.until
FROM handfast_safety.appeals AS p
JOIN handfast_safety.enforcement_actions AS a ON a.id = p.action_id
WHERE ($1::boolean IS NULL OR (p.decided_at IS NOT NULL) = $1)
  AND ($2::timestamptz IS NULL OR (p.created_at, p.id) > ($2, $3::uuid))
ORDER BY p.created_at, p.id
LIMIT $4;

-- name: end_appeal
UPDATE handfast_safety.appeals AS p
SET decided_at = handfast_db.now(), outcome = $2, decided_by = $3, note = $4
WHERE p.id = $1 AND p.decided_at IS NULL
RETURNING p.id;

-- name: own_data
-- What was decided about a user, and what they said against it; not who reported them.
SELECT jsonb_build_object(
    'enforcementActions', coalesce((SELECT jsonb_agg(jsonb_build_object(
        'id', a.id, 'decision', a.decision, 'decidedAt', a.decided_at, 'until', a.until,
        'reversedAt', a.reversed_at) ORDER BY a.decided_at, a.id)
        FROM handfast_safety.enforcement_actions AS a
        WHERE a.user_id = $1 AND a.decision <> 'dismiss'), '[]'),
    'appeals', coalesce((SELECT jsonb_agg(jsonb_build_object(
        'id', p.id, 'actionId', p.action_id, 'reason', p.reason, 'createdAt', p.created_at,
        'outcome', p.outcome, 'decidedAt', p.decided_at) ORDER BY p.created_at, p.id)
        FROM handfast_safety.appeals AS p WHERE p.user_id = $1), '[]'))::text AS data;

-- name: forget_appeals_of
UPDATE handfast_safety.appeals AS p SET reason = '(erased)'
WHERE p.user_id = $1 AND p.decided_at IS NOT NULL;
