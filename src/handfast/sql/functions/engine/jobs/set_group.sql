-- How many jobs of a group run at once, and the group whose places they share, if any. Written only
-- when it changes: claims look at these rows all the time.
CREATE OR REPLACE FUNCTION handfast_engine.set_group(
    p_name text, p_max_running integer, p_shares text DEFAULT NULL
) RETURNS void
LANGUAGE sql AS $$
    UPDATE handfast_engine.groups AS g SET max_running = p_max_running, shares = p_shares
    WHERE g.name = p_name
      AND (g.max_running, g.shares) IS DISTINCT FROM (p_max_running, p_shares);
$$;
