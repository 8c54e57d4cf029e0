-- Profiles. Phones are the identity's and not in here.
CREATE OR REPLACE VIEW handfast.users AS
SELECT u.id, u.display_name, u.birth_date, u.gender, u.seeking, u.status, u.onboarding AS
       onboarding_status, u.timezone, u.city, u.region, u.country, u.relationship_intent, u.min_age,
       u.max_age, u.max_distance_km, u.verified_at, u.created_at, u.updated_at, u.deleted_at
FROM handfast_people.users AS u;

COMMENT ON VIEW handfast.users IS 'one row for each user';
