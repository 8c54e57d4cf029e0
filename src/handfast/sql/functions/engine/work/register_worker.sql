-- p_kinds are what it knows, for handfast_engine.wake; null is everything.
CREATE OR REPLACE FUNCTION handfast_engine.register_worker(
    p_name text, p_lanes text[], p_lease interval, p_kinds text[] DEFAULT NULL
) RETURNS bigint
LANGUAGE sql AS $$
    INSERT INTO handfast_engine.workers (name, lanes, kinds, started_at, beat_at, lease_until)
    SELECT p_name, p_lanes, p_kinds, n.now, n.now, n.now + p_lease FROM (SELECT handfast_db.now()) AS n(now)
    RETURNING id
$$;
