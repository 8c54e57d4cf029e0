-- What is old: up to p_limit rows of the log, replays, secrets that sign nothing any more, and the
-- groups of endpoints that were removed. Answers how many rows of the log went.
CREATE OR REPLACE FUNCTION handfast_webhooks.prune(p_before timestamptz, p_limit integer) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
    v_count integer;
BEGIN
    DELETE FROM handfast_webhooks.attempts AS a WHERE a.id = ANY (ARRAY(
        SELECT o.id FROM (
            SELECT n.id, n.at FROM handfast_webhooks.attempts AS n ORDER BY n.id LIMIT p_limit
        ) AS o WHERE o.at < p_before
    ));
    GET DIAGNOSTICS v_count = ROW_COUNT;
    DELETE FROM handfast_webhooks.replays AS r WHERE r.asked_at < p_before;
    DELETE FROM handfast_webhooks.secrets AS s WHERE s.expires_at < p_before;
    PERFORM handfast_engine.forget_groups('webhooks:', ARRAY(
        SELECT 'webhooks:' || e.id FROM handfast_webhooks.endpoints AS e
    ));
    RETURN v_count;
END
$$;
