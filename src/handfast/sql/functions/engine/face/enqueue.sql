-- One job in the caller's transaction. An identity that exists is answered as it is.
CREATE OR REPLACE FUNCTION handfast.enqueue(
    kind          text,
    key           text,
    payload       jsonb DEFAULT '{}',
    due_at        timestamptz DEFAULT NULL,
    lane          text DEFAULT NULL,
    priority      integer DEFAULT NULL,
    deadline      timestamptz DEFAULT NULL,
    group_name    text DEFAULT NULL,
    anchor        text DEFAULT NULL,
    anchor_offset interval DEFAULT NULL,
    requires      jsonb DEFAULT NULL,
    version       integer DEFAULT NULL
) RETURNS TABLE (id bigint, created boolean, state text)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN QUERY
    SELECT e.id, e.created, e.state::text
    FROM handfast_engine.enqueue(
        enqueue.kind, enqueue.key, coalesce(enqueue.payload, '{}'), enqueue.due_at,
        jsonb_strip_nulls(jsonb_build_object(
            'lane', enqueue.lane, 'priority', enqueue.priority, 'deadline', enqueue.deadline,
            'group', enqueue.group_name, 'anchor', enqueue.anchor,
            'offset', CASE WHEN enqueue.anchor IS NOT NULL
                           THEN coalesce(enqueue.anchor_offset, interval '0') END,
            'requires', enqueue.requires, 'version', enqueue.version
        ))
    ) AS e;
END
$$;
