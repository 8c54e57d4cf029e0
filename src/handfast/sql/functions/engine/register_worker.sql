CREATE OR REPLACE FUNCTION engine.register_worker(p_name text, p_lanes text[], p_lease interval)
RETURNS bigint
LANGUAGE sql AS $$
    INSERT INTO engine.workers (name, lanes, started_at, beat_at, lease_until)
    SELECT p_name, p_lanes, n.now, n.now, n.now + p_lease FROM (SELECT db.now()) AS n(now)
    RETURNING id
$$;
