-- A token is spent with the hashes of device and address under each of the secrets: other arguments.
-- Removed at once and not a release later: no release has had it.
DROP FUNCTION IF EXISTS handfast_identity.spend_refresh_token(
    bytea, bytea, bytea, bytea, bytea, interval, interval
);
