-- Takes one job back; 1 if that worked. A job that cannot be taken back (a policy that somebody
-- edited by hand, say) must not keep the others from it: it is left and said so.
CREATE OR REPLACE FUNCTION handfast_engine.rescue_one(p_id bigint, p_token bigint, p_why text)
RETURNS integer
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM handfast_engine.fail(p_id, p_token, 'lost', p_why);
    RETURN 1;
EXCEPTION WHEN data_exception OR integrity_constraint_violation THEN
    RAISE WARNING 'job % cannot be rescued: %', p_id, SQLERRM;
    RETURN 0;
END
$$;
