-- Removes servers that have been dead for long. One that was merely idle comes back with its next claim.
CREATE OR REPLACE FUNCTION handfast_idempotency.prune_servers(p_after interval) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
    v_gone integer;
BEGIN
    DELETE FROM handfast_idempotency.servers AS s WHERE s.alive_until < handfast_db.now() - p_after;
    GET DIAGNOSTICS v_gone = ROW_COUNT;
    RETURN v_gone;
END
$$;
