-- What operators decided.
CREATE OR REPLACE VIEW handfast.enforcement_actions AS
SELECT a.id, a.user_id, a.report_id, a.decision, a.decided_at, a.decided_by, a.until, a.reversed_at
FROM handfast_safety.enforcement_actions AS a;

COMMENT ON VIEW handfast.enforcement_actions IS 'one row for each decision about a user';
