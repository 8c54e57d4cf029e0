-- Reports, as far as a list of them goes; evidence stays with the operators.
CREATE OR REPLACE VIEW handfast.reports AS
SELECT r.id, r.reporter_id, r.user_id, r.type, r.subject_id, r.category, r.severity, r.status,
       r.created_at, r.decided_at
FROM handfast_people.reports AS r;

COMMENT ON VIEW handfast.reports IS 'one row for each report';
