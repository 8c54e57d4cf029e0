-- The request that this asker (a phone and a device) has open, if it may still be handed out.
--
-- Under an advisory lock of the asker until the transaction ends: of two sends at once the second
-- finds the first one's request instead of making another. In a function, because its statements see
-- what was committed while the lock was waited for.
CREATE OR REPLACE FUNCTION handfast_identity.live_request(
    p_asker bytea, p_tries integer,
    OUT id uuid, OUT expires_at timestamptz, OUT sent_at timestamptz, OUT sends smallint,
    OUT at timestamptz
) RETURNS record
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(encode(p_asker, 'hex'), 17));
    at := handfast_db.now();
    SELECT r.id, r.expires_at, r.sent_at, r.sends INTO id, expires_at, sent_at, sends
    FROM handfast_identity.otp_requests AS r
    WHERE r.asker = p_asker AND r.expires_at > at AND r.used_at IS NULL AND r.tries < p_tries
    ORDER BY r.created_at DESC
    LIMIT 1;
END
$$;
