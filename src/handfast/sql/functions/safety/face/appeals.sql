-- Who appealed against what, and how it ended.
CREATE OR REPLACE VIEW handfast.appeals AS
SELECT a.id, a.action_id, a.user_id, a.created_at, a.decided_at, a.outcome, a.decided_by
FROM handfast_safety.appeals AS a;

COMMENT ON VIEW handfast.appeals IS 'one row for each appeal';
