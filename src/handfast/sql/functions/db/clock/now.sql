-- The clock of the house. Leases, due times and deadlines ask it, never a worker's own clock.
-- It is clock_timestamp(), not the transaction's start: a long transaction must not live in the
-- past. Tests freeze it for a whole database: ALTER DATABASE x SET handfast.now = '2026-03-29 …'.
CREATE OR REPLACE FUNCTION handfast_db.now() RETURNS timestamptz
LANGUAGE sql VOLATILE PARALLEL SAFE
AS $$
    SELECT CASE
        WHEN coalesce(current_setting('handfast.now', true), '') = '' THEN clock_timestamp()
        ELSE handfast_db.frozen_now()
    END
$$;
