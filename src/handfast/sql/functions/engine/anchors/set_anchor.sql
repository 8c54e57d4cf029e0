-- Place an anchor, or move it: handfast_engine.set_anchors for one.
CREATE OR REPLACE FUNCTION handfast_engine.set_anchor(p_name text, p_at timestamptz) RETURNS integer
LANGUAGE sql AS $$
    SELECT handfast_engine.set_anchors(ARRAY[p_name], ARRAY[p_at])
$$;
