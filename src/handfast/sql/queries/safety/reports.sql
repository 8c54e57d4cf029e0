-- Statements of safety: reports.

-- name: user_exists
SELECT EXISTS (
    SELECT 1 FROM handfast_identity.accounts AS a WHERE a.id = $1 AND a.erased_at IS NULL
) AS known;

-- name: partner_in
SELECT CASE WHEN m.low_id = $2 THEN m.high_id ELSE m.low_id END AS partner
FROM handfast_offers.matches AS m
WHERE m.id = $1 AND (m.low_id = $2 OR m.high_id = $2);

-- name: lock_reports
SELECT handfast_safety.lock_reports($1, $2);

-- name: report_within
-- The last one of the same reporter, subject and category that was accepted within so long.
SELECT r.id FROM handfast_people.reports AS r
WHERE r.reporter_id = $1 AND r.subject_id = $2 AND r.category = $3
  AND r.created_at > handfast_db.now() - $4::interval
ORDER BY r.created_at DESC
LIMIT 1;

-- name: add_report
INSERT INTO handfast_people.reports
    (id, reporter_id, user_id, created_at, type, subject_id, category, severity, description, evidence)
VALUES ($1, $2, $3, handfast_db.now(), $4, $5, $6, $7, $8, $9::text::jsonb)
RETURNING created_at;

-- name: restrain_if_reported
SELECT handfast_safety.restrain_if_reported($1, $2, $3) AS restrained;

-- name: lift_restraint
SELECT handfast_safety.lift_restraint($1) AS lifted;

-- name: reports
-- The queue: who is paused first, then by severity, then by age.
SELECT r.id, r.reporter_id, r.user_id, r.created_at, r.decided_at, r.type, r.subject_id, r.category,
       r.severity, r.status, r.description, q.restrained, q.rank
FROM handfast_people.reports AS r
CROSS JOIN LATERAL (
    SELECT r.status = 'open' AND EXISTS (
               SELECT 1 FROM handfast_safety.restraints AS t
               WHERE t.user_id = r.user_id AND t.lifted_at IS NULL) AS restrained,
           CASE r.severity WHEN 'critical' THEN 1 WHEN 'high' THEN 2 ELSE 3 END AS rank
    OFFSET 0
) AS q
WHERE ($1::text IS NULL OR r.status = $1) AND ($2::uuid IS NULL OR r.user_id = $2)
  AND ($3::boolean IS NULL
       OR (NOT q.restrained, q.rank, r.created_at, r.id) > (NOT $3, $4::integer, $5::timestamptz, $6::uuid))
ORDER BY NOT q.restrained, q.rank, r.created_at, r.id
LIMIT $7;

-- name: report
SELECT r.id, r.reporter_id, r.user_id, r.created_at, r.decided_at, r.type, r.subject_id, r.category,
       r.severity, r.status, r.description, r.evidence::text AS evidence,
       EXISTS (SELECT 1 FROM handfast_safety.restraints AS t
               WHERE t.user_id = r.user_id AND t.lifted_at IS NULL) AS restrained
FROM handfast_people.reports AS r
WHERE r.id = $1;

-- name: lock_report
SELECT r.user_id, r.status, r.type, r.subject_id, r.severity,
       extract(epoch FROM handfast_db.now() - r.created_at)::float8 AS age
FROM handfast_people.reports AS r
WHERE r.id = $1
FOR UPDATE;

-- name: people_of_report
-- In the order in which their accounts are locked.
SELECT n.id FROM handfast_people.reports AS r
CROSS JOIN LATERAL (VALUES (r.user_id), (r.reporter_id)) AS n (id)
WHERE r.id = $1 ORDER BY n.id;

-- name: end_report
UPDATE handfast_people.reports AS r SET status = $2, decided_at = handfast_db.now() WHERE r.id = $1;

-- name: history
SELECT (SELECT count(*) FROM handfast_people.reports AS r WHERE r.user_id = $1) AS reports,
       (SELECT count(*) FROM handfast_people.reports AS r WHERE r.user_id = $1 AND r.status = 'open')
           AS open_reports,
       (SELECT count(DISTINCT r.reporter_id) FROM handfast_people.reports AS r WHERE r.user_id = $1)
           AS reporters,
       (SELECT count(*) FROM handfast_people.blocks AS b WHERE b.blocked_id = $1) AS blocked_by;

-- name: add_note
INSERT INTO handfast_safety.notes (id, report_id, written_at, written_by, note)
SELECT $1, r.id, handfast_db.now(), $3, $4 FROM handfast_people.reports AS r WHERE r.id = $2
RETURNING written_at;

-- name: notes
SELECT n.id, n.written_at, n.written_by, n.note
FROM handfast_safety.notes AS n
WHERE n.report_id = $1
ORDER BY n.written_at, n.id
LIMIT 1000;

-- name: open_reports
SELECT r.severity, count(*) AS open,
       extract(epoch FROM handfast_db.now() - min(r.created_at))::float8 AS oldest
FROM handfast_people.reports AS r
WHERE r.status = 'open'
GROUP BY r.severity;

-- name: forget_in_reports
-- In reports that are decided; what is open is still evidence.
UPDATE handfast_people.reports AS r
SET description = CASE WHEN r.reporter_id = $1 THEN NULL ELSE r.description END,
    evidence = (SELECT coalesce(jsonb_agg(CASE WHEN e.item ->> 'senderId' = $1::text
                                               THEN e.item - 'content' ELSE e.item END
                                          ORDER BY e.place), '[]')
                FROM jsonb_array_elements(r.evidence) WITH ORDINALITY AS e(item, place))
WHERE (r.reporter_id = $1 OR r.user_id = $1) AND r.status <> 'open';
