-- Place an anchor, or move it: engine.set_anchors for one.
CREATE OR REPLACE FUNCTION engine.set_anchor(p_name text, p_at timestamptz) RETURNS integer
LANGUAGE sql AS $$
    SELECT engine.set_anchors(ARRAY[p_name], ARRAY[p_at])
$$;
