-- Pictures of users; the files themselves are kept elsewhere.
CREATE OR REPLACE VIEW handfast.photos AS
SELECT p.id, p.user_id, p.is_primary, p.width, p.height, p.bytes, p.created_at
FROM handfast_people.photos AS p;

COMMENT ON VIEW handfast.photos IS 'one row for each photo';
