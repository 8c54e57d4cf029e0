-- Whose turn is it? Of all callers one gets a chore in each of its intervals, and everybody is told
-- how long it is until the next turn. What they race for is one row each, so whoever comes second
-- sees what the first has written; taken by name, so that two callers wait and do not deadlock.
CREATE OR REPLACE FUNCTION handfast_engine.take_chores(p_names text[], p_every interval[])
RETURNS TABLE (name text, ours boolean, wait interval)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    v_now   timestamptz := handfast_db.now();
    v_every interval;
BEGIN
    FOR name, v_every IN SELECT a.name, a.every FROM unnest(p_names, p_every) AS a(name, every)
                         ORDER BY a.name
    LOOP
        INSERT INTO handfast_engine.chores AS c (name, done_at) VALUES (take_chores.name, v_now)
        ON CONFLICT (name) DO UPDATE SET done_at = excluded.done_at
        WHERE c.done_at <= excluded.done_at - v_every;
        ours := FOUND;
        SELECT greatest(c.done_at + v_every - v_now, interval '0') INTO wait
        FROM handfast_engine.chores AS c WHERE c.name = take_chores.name;
        RETURN NEXT;
    END LOOP;
END
$$;
