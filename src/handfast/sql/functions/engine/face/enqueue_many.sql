-- Many jobs of one kind in the caller's transaction, whose options hold for all of them. ordinal is a
-- job's place in keys.
CREATE OR REPLACE FUNCTION handfast.enqueue_many(
    kind          text,
    keys          text[],
    payloads      jsonb[] DEFAULT NULL,
    due_at        timestamptz[] DEFAULT NULL,
    lane          text DEFAULT NULL,
    priority      integer DEFAULT NULL,
    deadline      timestamptz DEFAULT NULL,
    group_name    text DEFAULT NULL,
    anchor        text DEFAULT NULL,
    anchor_offset interval DEFAULT NULL,
    version       integer DEFAULT NULL
) RETURNS TABLE (ordinal bigint, id bigint, created boolean, state text)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN QUERY
    SELECT m.ordinal, m.id, m.created, m.state::text
    FROM handfast_engine.enqueue_many(
        enqueue_many.kind, enqueue_many.keys,
        coalesce(enqueue_many.payloads, array_fill('{}'::jsonb, ARRAY[cardinality(enqueue_many.keys)])),
        enqueue_many.due_at,
        jsonb_strip_nulls(jsonb_build_object(
            'lane', enqueue_many.lane, 'priority', enqueue_many.priority,
            'deadline', enqueue_many.deadline, 'group', enqueue_many.group_name,
            'anchor', enqueue_many.anchor,
            'offset', CASE WHEN enqueue_many.anchor IS NOT NULL
                           THEN coalesce(enqueue_many.anchor_offset, interval '0') END,
            'version', enqueue_many.version
        ))
    ) AS m;
END
$$;
