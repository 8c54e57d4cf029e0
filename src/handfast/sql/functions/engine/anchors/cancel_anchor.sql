-- The moment will not come: handfast_engine.cancel_anchors for one. Setting the anchor again brings its jobs back.
-- Answers how many were cancelled.
CREATE OR REPLACE FUNCTION handfast_engine.cancel_anchor(p_name text, p_reason text) RETURNS integer
LANGUAGE sql AS $$
    SELECT coalesce(sum(c.jobs), 0)::integer
    FROM handfast_engine.cancel_anchors(ARRAY[p_name], ARRAY[p_reason]) AS c
$$;
