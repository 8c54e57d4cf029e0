-- Events on the streams of users: p_events[n] on that of p_users[n], in this order. Rows are locked in
-- order of id, so that two of these wait for each other and do not deadlock; who holds one holds it
-- until the commit, so a stream's numbers are in the order of the commits.
--
-- PL/pgSQL, for its plans are kept: until PostgreSQL 18 a function in SQL is planned at each call.
CREATE OR REPLACE FUNCTION handfast_engine.tell_users(
    p_at timestamptz, p_events uuid[], p_users uuid[]
) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    WITH told AS MATERIALIZED (
        SELECT t.user_id, t.event_id, min(t.ord) AS ord
        FROM unnest(p_users, p_events) WITH ORDINALITY AS t(user_id, event_id, ord)
        GROUP BY t.user_id, t.event_id
    ), numbered AS (
        INSERT INTO handfast_engine.user_streams AS s (user_id, number, latest)
        SELECT t.user_id, count(*), count(*) FROM told AS t GROUP BY t.user_id ORDER BY t.user_id
        ON CONFLICT (user_id) DO UPDATE
        SET number = s.number + excluded.latest, latest = excluded.latest
        RETURNING s.user_id, s.number - s.latest AS before
    )
    INSERT INTO handfast_engine.user_events (user_id, number, event_id, at)
    SELECT t.user_id, n.before + row_number() OVER (PARTITION BY t.user_id ORDER BY t.ord),
           t.event_id, p_at
    FROM told AS t JOIN numbered AS n ON n.user_id = t.user_id;
END
$$;
