-- Revive a job that succeeded, if it is still the success that the caller has looked at: when it
-- has run again since (its token tells), it is not revived a second time.
CREATE OR REPLACE FUNCTION handfast_engine.revive_same(
    p_id bigint, p_token bigint, p_due_at timestamptz, p_payload jsonb, p_options jsonb
) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM handfast_engine.jobs AS j
    WHERE j.id = p_id AND j.token = p_token AND j.state = 'succeeded' FOR UPDATE;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    RETURN handfast_engine.revive(p_id, p_due_at, p_payload, p_options);
END
$$;
