-- Who blocked whom.
CREATE OR REPLACE VIEW handfast.blocks AS
SELECT b.user_id, b.blocked_id, b.blocked_at, b.reason
FROM handfast_people.blocks AS b;

COMMENT ON VIEW handfast.blocks IS 'one row for each block that holds';
