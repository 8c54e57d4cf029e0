-- These servers live, for so long from now at least. All ids of one process at once, and no other's:
-- so nobody waits for anybody.
CREATE OR REPLACE FUNCTION handfast_idempotency.renew(p_servers bigint[], p_lease interval)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);  -- lost, they are merely believed dead sooner
    INSERT INTO handfast_idempotency.servers AS s (id, alive_until)
    SELECT a.id, handfast_db.now() + p_lease FROM unnest(p_servers) AS a(id) ORDER BY a.id
    ON CONFLICT (id) DO UPDATE SET alive_until = EXCLUDED.alive_until;
END
$$;
