-- As handfast_engine.revive, for one of many: false too if its payload has been pruned, so that it
-- does not keep the others from it.
CREATE OR REPLACE FUNCTION handfast_engine.revive_kept(p_id bigint) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    RETURN handfast_engine.revive(p_id);
EXCEPTION WHEN null_value_not_allowed THEN
    RETURN false;
END
$$;
