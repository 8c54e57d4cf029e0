-- What the clock of the house says where somebody has set handfast.now. Any session may set it for
-- itself, also that of a role which may only call functions that run with the owner's rights: with
-- that it could end every lease. So it counts only if the database was given it (ALTER DATABASE,
-- which is the owner's) or the session is the owner's own.
CREATE OR REPLACE FUNCTION handfast_db.frozen_now() RETURNS timestamptz
LANGUAGE plpgsql VOLATILE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_said text := current_setting('handfast.now');
BEGIN
    IF EXISTS (
        SELECT FROM pg_namespace AS n
        WHERE n.nspname = 'handfast_db' AND pg_has_role(session_user, n.nspowner, 'MEMBER')
    ) OR EXISTS (
        SELECT FROM pg_db_role_setting AS s JOIN pg_database AS d ON d.oid = s.setdatabase
        WHERE d.datname = current_database() AND s.setrole = 0
          AND 'handfast.now=' || v_said = ANY (s.setconfig)
    ) THEN
        RETURN v_said::timestamptz;
    END IF;
    RETURN clock_timestamp();
END
$$;
