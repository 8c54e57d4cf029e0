-- Ruling R16: a job's priority as its deadline nears. It never falls, and never rises past a floor
-- that belongs to how near it is; past the deadline it is the most urgent there is.
CREATE OR REPLACE FUNCTION handfast_engine.escalated(p_base smallint, p_left interval) RETURNS smallint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN p_left <= interval '0' THEN 1
        WHEN p_left < interval '30 minutes' THEN least(p_base, greatest(1, p_base - 5))
        WHEN p_left < interval '1 hour' THEN least(p_base, greatest(5, p_base - 3))
        WHEN p_left < interval '3 hours' THEN least(p_base, greatest(10, p_base - 2))
        ELSE p_base
    END::smallint
$$;
