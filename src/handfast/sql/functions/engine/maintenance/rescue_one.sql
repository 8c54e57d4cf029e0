-- Takes one job back; 1 if that worked. A job that cannot be taken back (a policy that somebody
-- edited by hand, say) must not keep the others from it: it is left and said so. What is wrong with
-- the statement, its transaction or the server, and not with the job, goes through.
CREATE OR REPLACE FUNCTION handfast_engine.rescue_one(p_id bigint, p_token bigint, p_why text)
RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
    v_kind  text := (SELECT l.kind FROM handfast_engine.live AS l WHERE l.id = p_id);
    v_state handfast_engine.job_state;
BEGIN
    v_state := handfast_engine.fail(p_id, p_token, 'lost', p_why);
    IF v_state IS NOT NULL THEN  -- nobody is left who would count it
        PERFORM handfast_engine.note_figures(jsonb_build_array(
            jsonb_build_object('kind', '', 'lost', 1, 'died', (v_state = 'dead')::integer),
            jsonb_build_object('kind', v_kind, 'lost', 1, 'died', (v_state = 'dead')::integer)
        ));
    END IF;
    RETURN 1;
EXCEPTION
WHEN connection_exception OR invalid_transaction_state OR transaction_rollback
     OR insufficient_resources OR lock_not_available OR operator_intervention OR system_error THEN
    RAISE;
WHEN OTHERS THEN
    RAISE WARNING 'job % cannot be rescued: %', p_id, SQLERRM;
    RETURN 0;
END
$$;
