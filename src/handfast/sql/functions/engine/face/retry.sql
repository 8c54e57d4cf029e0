-- Now rather than later: a dead letter is requeued, a scheduled job becomes ready, anything else stays as
-- it is. Answers the state afterwards, null if there is no such job.
CREATE OR REPLACE FUNCTION handfast.retry(id bigint) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (SELECT r.state::text FROM handfast_engine.retry(retry.id) AS r);
END
$$;
