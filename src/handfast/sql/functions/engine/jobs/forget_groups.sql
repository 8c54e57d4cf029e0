-- Groups whose names begin like this go, except those that are named, and those that have jobs.
CREATE OR REPLACE FUNCTION handfast_engine.forget_groups(p_prefix text, p_except text[]) RETURNS void
LANGUAGE sql AS $$
    DELETE FROM handfast_engine.groups AS g
    WHERE starts_with(g.name, p_prefix) AND g.name <> ALL (p_except)
      AND NOT EXISTS (SELECT 1 FROM handfast_engine.live AS l WHERE l.group_name = g.name);
$$;
