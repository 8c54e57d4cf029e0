-- A group of jobs, of which so many run at once. One that is there already stays as it is.
CREATE OR REPLACE FUNCTION handfast_engine.make_group(p_name text, p_max_running integer) RETURNS void
LANGUAGE sql AS $$
    INSERT INTO handfast_engine.groups (name, max_running) VALUES (p_name, p_max_running)
    ON CONFLICT DO NOTHING;
$$;
