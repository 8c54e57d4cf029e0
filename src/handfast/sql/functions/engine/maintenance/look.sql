-- What an idle process asks, in one statement for all of its lanes: due jobs become ready, up to
-- p_limit of them; when is the next one due; and which of these lanes have something to claim. One
-- that was told of nothing finds it here. What is paused is nothing to claim, or nobody would ever
-- come to rest beside it.
CREATE OR REPLACE FUNCTION handfast_engine.look(
    p_lanes text[], p_limit integer,
    OUT promoted integer, OUT next_due timestamptz, OUT ready text[]
)
LANGUAGE plpgsql
SET enable_seqscan = off SET jit = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    SELECT p.promoted, p.next_due INTO promoted, next_due FROM handfast_engine.promote(p_limit) AS p;
    IF EXISTS (SELECT 1 FROM handfast_engine.pauses) THEN
        ready := ARRAY(
            SELECT n.lane
            FROM unnest((handfast_engine.unpaused(p_lanes, NULL, NULL)).lanes) AS n(lane)
            WHERE EXISTS (
                SELECT 1 FROM (
                    SELECT r.kind FROM unnest(handfast_engine.ready_kinds(ARRAY[n.lane], NULL, NULL)) AS r
                    UNION ALL
                    SELECT g.kind FROM handfast_engine.ready_grouped_kinds(n.lane) AS g(kind)
                ) AS k
                WHERE NOT EXISTS (
                    SELECT 1 FROM handfast_engine.pauses AS p WHERE p.what = 'kind' AND p.name = k.kind
                )
            )
        );
        RETURN;
    END IF;
    ready := ARRAY(
        SELECT n.lane FROM unnest(p_lanes) AS n(lane)
        WHERE EXISTS (
            SELECT 1 FROM handfast_engine.live AS l
            WHERE l.lane = n.lane AND l.state = 'ready' AND l.group_name IS NULL
        ) OR EXISTS (
            SELECT 1 FROM handfast_engine.live AS l
            WHERE l.lane = n.lane AND l.state = 'ready' AND l.group_name IS NOT NULL
        )
    );
END
$$;
