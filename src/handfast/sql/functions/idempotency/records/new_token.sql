-- Microseconds of the real clock: higher than any token before it, even one whose row is gone.
CREATE OR REPLACE FUNCTION handfast_idempotency.new_token() RETURNS bigint
LANGUAGE sql VOLATILE AS $$
    SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
$$;
