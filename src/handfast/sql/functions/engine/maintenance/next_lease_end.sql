-- When the next lease ends that nobody renews meanwhile: of a worker, or of a claim by a plain SQL
-- client. Null if nothing is on loan.
CREATE OR REPLACE FUNCTION handfast_engine.next_lease_end() RETURNS timestamptz
LANGUAGE sql STABLE
SET enable_seqscan = off SET jit = off AS $$
    SELECT least(
        (SELECT min(w.lease_until) FROM handfast_engine.workers AS w WHERE w.ended_at IS NULL),
        (SELECT l.lease_until FROM handfast_engine.live AS l
         WHERE l.state = 'running' AND l.worker IS NULL
         ORDER BY l.lease_until LIMIT 1)
    )
$$;
