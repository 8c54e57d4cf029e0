-- Every dispute.
CREATE OR REPLACE VIEW handfast.disputes AS
SELECT d.id, d.session_id, d.status, d.reason, d.resolution, d.resolved_for, d.opened_by, d.reported, d.frozen,
       d.created_at, d.deadline::timestamptz AS deadline, d.resolved_at
FROM handfast_stakes.disputes AS d;

COMMENT ON VIEW handfast.disputes IS 'one row for each dispute';
