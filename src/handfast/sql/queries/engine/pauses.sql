-- Statements of the engine: what is paused.

-- name: pause
-- Who came first stays: a second pause changes nothing.
INSERT INTO handfast_engine.pauses (what, name, paused_at, paused_by, reason)
VALUES ($1, $2, handfast_db.now(), $3, $4)
ON CONFLICT (what, name) DO NOTHING
RETURNING what;

-- name: resume
SELECT handfast_engine.resume($1, $2);

-- name: pauses
-- Schedules among them, whose pauses are in their own rows.
SELECT p.what, p.name, p.paused_at, p.paused_by, p.reason FROM handfast_engine.pauses AS p
UNION ALL
SELECT 'schedule', s.name, s.paused_at, s.paused_by, s.pause_reason
FROM handfast_engine.schedules AS s WHERE s.paused_at IS NOT NULL
ORDER BY what, name;

-- name: paused
-- As workers want to know it.
SELECT p.what, p.name FROM handfast_engine.pauses AS p;
