-- A job that succeeded, was cancelled or was skipped runs again under its own identity. False when it
-- had not ended so. The payload is needed only when the history no longer has it.
CREATE OR REPLACE FUNCTION handfast.revive(
    id      bigint,
    due_at  timestamptz DEFAULT NULL,
    payload jsonb DEFAULT NULL
) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN handfast_engine.revive(revive.id, revive.due_at, revive.payload);
END
$$;
