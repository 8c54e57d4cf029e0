-- Of jobs, the first by urgency whose payloads together have at most p_bytes; at least one. Reads no
-- more of them than it answers, and one.
CREATE OR REPLACE FUNCTION handfast_engine.within_bytes(p_ids bigint[], p_bytes bigint) RETURNS bigint[]
LANGUAGE plpgsql
SET enable_seqscan = off SET jit = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    v_job  record;
    v_left bigint := p_bytes;
    v_ids  bigint[] := '{}';
BEGIN
    FOR v_job IN
        SELECT l.id, l.payload FROM handfast_engine.live AS l
        WHERE l.id = ANY (p_ids) ORDER BY l.priority, l.due_at, l.id
    LOOP
        v_left := v_left - octet_length(v_job.payload::text);
        EXIT WHEN v_left < 0 AND cardinality(v_ids) > 0;
        v_ids := v_ids || v_job.id;
    END LOOP;
    RETURN v_ids;
END
$$;
