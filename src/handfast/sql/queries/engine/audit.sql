-- Statements of the engine: the audit.

-- name: record_audit
INSERT INTO handfast_engine.audit (at, actor, action, subject, reason, request_id)
SELECT handfast_db.now(), $1, $2, s.subject, $4, $5
FROM unnest($3::text[]) WITH ORDINALITY AS s(subject, place)
ORDER BY s.place;

-- name: list_audit
SELECT a.id, a.at, a.actor, a.action, a.subject, a.reason, a.request_id
FROM handfast_engine.audit AS a
WHERE ($1::bigint IS NULL OR a.id < $1)
  AND ($2::text IS NULL OR a.actor = $2) AND ($3::text IS NULL OR a.action = $3)
ORDER BY a.id DESC LIMIT $4;

-- name: list_audit_of
SELECT a.id, a.at, a.actor, a.action, a.subject, a.reason, a.request_id
FROM handfast_engine.audit AS a
WHERE a.subject = $5 AND ($1::bigint IS NULL OR a.id < $1)
  AND ($2::text IS NULL OR a.actor = $2) AND ($3::text IS NULL OR a.action = $3)
ORDER BY a.id DESC LIMIT $4;
