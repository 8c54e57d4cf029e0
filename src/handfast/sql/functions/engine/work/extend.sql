-- For a SQL client that claimed with a lease of its own: more time. False when it is too late.
CREATE OR REPLACE FUNCTION handfast_engine.extend(p_id bigint, p_token bigint, p_lease interval)
RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE handfast_engine.live AS l SET lease_until = handfast_db.now() + p_lease
    WHERE l.id = p_id AND l.token = p_token AND l.started_at IS NOT NULL AND l.lease_until IS NOT NULL;
    RETURN FOUND;
END
$$;
