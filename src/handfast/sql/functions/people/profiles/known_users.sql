-- Accounts and their profiles, as operators see them. Whoever has none yet has only signed up.
CREATE OR REPLACE VIEW handfast_people.known_users AS
SELECT a.id, a.phone AS phone_number, u.display_name,
       coalesce(u.status, CASE a.status WHEN 'active' THEN 'pending_verification' ELSE a.status END)
           AS status,
       coalesce(u.onboarding, 'questionnaire_pending') AS onboarding_status,
       a.created_at, a.last_active_at, u.created_at AS profile_created_at,
       u.status AS profile_status, u.id AS profile_id
FROM handfast_identity.accounts AS a
LEFT JOIN handfast_people.users AS u ON u.id = a.id;
