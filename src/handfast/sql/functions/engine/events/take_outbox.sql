-- The oldest rows of a consumer's outbox that nobody else is taking, up to p_limit, with their events;
-- they are gone if the caller's transaction commits. Type and data are null if the event is no longer
-- kept.
CREATE OR REPLACE FUNCTION handfast_engine.take_outbox(p_consumer text, p_limit integer)
RETURNS TABLE (ordinal bigint, event_id uuid, type text, data jsonb)
LANGUAGE plpgsql
SET enable_seqscan = off SET jit = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH taken AS (
        DELETE FROM handfast_engine.outbox AS o
        WHERE o.consumer = p_consumer AND o.ordinal = ANY (ARRAY(
            SELECT n.ordinal FROM handfast_engine.outbox AS n WHERE n.consumer = p_consumer
            ORDER BY n.ordinal LIMIT p_limit FOR UPDATE SKIP LOCKED
        ))
        RETURNING o.ordinal, o.event_id
    )
    SELECT t.ordinal, t.event_id, e.type::text, e.data::jsonb
    FROM taken AS t LEFT JOIN handfast_engine.events AS e ON e.id = t.event_id
    ORDER BY t.ordinal;
END
$$;
