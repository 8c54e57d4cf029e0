-- Statements of identity: codes. None of them reads accounts, so none can tell whether a phone is known.

-- name: prune_otp_requests
DELETE FROM handfast_identity.otp_requests AS r
WHERE r.id IN (
    SELECT o.id FROM handfast_identity.otp_requests AS o
    WHERE o.expires_at < handfast_db.now() - $1::interval
    ORDER BY o.expires_at
    LIMIT $2
);

-- name: forget_otp_requests_of
DELETE FROM handfast_identity.otp_requests AS r
WHERE r.phone = $1;
