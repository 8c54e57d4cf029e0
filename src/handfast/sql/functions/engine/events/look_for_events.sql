-- What is new for the streams of a process, in one statement for all of them.
--
-- The operators' first: for each cursor (p_xids[n], p_ordinals[n]) the events after it, up to the
-- horizon that no running transaction can still come before. One row with stream 0 says where that is
-- (xid), whether something committed waits behind it (number 1), and what can be seen now (data).
--
-- Then the users': for each p_users[n] the events after p_after[n], by the user's own numbers, which
-- wait for nobody. One that is opening gets a row without an event that says the stream's last number.
CREATE OR REPLACE FUNCTION handfast_engine.look_for_events(
    p_xids bigint[], p_ordinals bigint[],
    p_users uuid[], p_after bigint[], p_opening boolean[],
    p_limit integer
) RETURNS TABLE (
    stream bigint, number bigint, xid bigint, ordinal bigint,
    id text, at timestamptz, type text, aggregate text, sequence bigint, data text
)
LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET jit = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
    v_snapshot pg_snapshot;
    v_horizon  xid8;
BEGIN
    IF cardinality(p_xids) > 0 THEN
        v_snapshot := pg_current_snapshot();
        v_horizon := handfast_engine.commit_horizon(v_snapshot);
        RETURN QUERY SELECT
            0::bigint,
            EXISTS (
                SELECT 1 FROM handfast_engine.events AS e
                WHERE e.xid >= v_horizon AND e.xid < pg_snapshot_xmax(v_snapshot)
            )::integer::bigint,
            v_horizon::text::bigint, 0::bigint, NULL, NULL::timestamptz, NULL, NULL, NULL::bigint,
            v_snapshot::text;
        RETURN QUERY
            SELECT c.stream, NULL::bigint, e.xid::text::bigint, e.ordinal,
                   e.id::text, e.at, e.type::text, e.aggregate::text, e.sequence, e.data::text
            FROM unnest(p_xids, p_ordinals) WITH ORDINALITY AS c(xid, ordinal, stream)
            CROSS JOIN LATERAL (
                SELECT n.* FROM handfast_engine.events AS n
                WHERE (n.xid, n.ordinal) > (c.xid::text::xid8, c.ordinal) AND n.xid < v_horizon
                ORDER BY n.xid, n.ordinal LIMIT p_limit
            ) AS e
            ORDER BY c.stream, e.xid, e.ordinal;
    END IF;
    IF cardinality(p_users) > 0 THEN
        RETURN QUERY
            SELECT w.stream, coalesce(s.number, 0), NULL::bigint, NULL::bigint,
                   NULL, NULL::timestamptz, NULL, NULL, NULL::bigint, NULL
            FROM unnest(p_users, p_opening) WITH ORDINALITY AS w(user_id, opening, stream)
            LEFT JOIN handfast_engine.user_streams AS s ON s.user_id = w.user_id
            WHERE w.opening;
        RETURN QUERY
            SELECT w.stream, u.number, NULL::bigint, NULL::bigint,
                   e.id::text, e.at, e.type::text, e.aggregate::text, e.sequence, e.data::text
            FROM unnest(p_users, p_after) WITH ORDINALITY AS w(user_id, after, stream)
            CROSS JOIN LATERAL (
                SELECT n.number, n.event_id FROM handfast_engine.user_events AS n
                WHERE n.user_id = w.user_id AND n.number > w.after
                ORDER BY n.number LIMIT p_limit
            ) AS u
            JOIN handfast_engine.events AS e ON e.id = u.event_id
            ORDER BY w.stream, u.number;
    END IF;
END
$$;
