-- Is it this caller's turn? True for one of all callers in each p_every; what they race for is one
-- row, so whoever comes second sees what the first has written.
CREATE OR REPLACE FUNCTION engine.take_chore(p_name text, p_every interval) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    v_now timestamptz := db.now();
BEGIN
    INSERT INTO engine.chores AS c (name, done_at) VALUES (p_name, v_now)
    ON CONFLICT (name) DO UPDATE SET done_at = excluded.done_at
    WHERE c.done_at <= excluded.done_at - p_every;
    RETURN FOUND;
END
$$;
