-- How many places are free among those that the groups which name p_name share. Locked until the
-- end of the transaction, as a group is while somebody claims from it; to everybody else there is
-- no room meanwhile.
CREATE OR REPLACE FUNCTION handfast_engine.shared_room(p_name text) RETURNS integer
LANGUAGE plpgsql
SET enable_seqscan = off SET jit = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    v_max integer;
BEGIN
    SELECT g.max_running INTO v_max FROM handfast_engine.groups AS g
    WHERE g.name = p_name FOR NO KEY UPDATE SKIP LOCKED;
    RETURN coalesce(v_max - (  -- a statement of its own: it sees what was claimed before the lock
        SELECT count(*) FROM handfast_engine.groups AS g
        JOIN handfast_engine.live AS l ON l.group_name = g.name AND l.state = 'running'
        WHERE g.shares = p_name
    ), 0);
END
$$;
