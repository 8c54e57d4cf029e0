-- This job ended without success: tell whoever waits for it.
CREATE OR REPLACE FUNCTION handfast_engine.stop_dependants(p_id bigint, p_reason text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM handfast_engine.stop_blocked(array_agg(p.job_id), array_agg(p_reason))
    FROM handfast_engine.prerequisites AS p
    WHERE p.requires_id = p_id AND NOT p.met
    HAVING count(*) > 0;
END
$$;
