-- Tries to be verified.
CREATE OR REPLACE VIEW handfast.verification_sessions AS
SELECT v.id, v.user_id, v.status, v.failure_reason, v.consent_version, v.provider, v.created_at,
       v.expires_at, v.ended_at
FROM handfast_people.verification_sessions AS v;

COMMENT ON VIEW handfast.verification_sessions IS 'one row for each try';
