-- Named settings of users.
CREATE OR REPLACE VIEW handfast.user_preferences AS
SELECT p.user_id, p.preference, p.value, p.updated_at
FROM handfast_people.user_preferences AS p;

COMMENT ON VIEW handfast.user_preferences IS 'one row for each setting of a user';
