-- Aggregates of which nothing was heard since p_before: looks at the p_limit after p_after, in order of
-- name, and forgets those that are idle; answers where to go on, null at the end.
--
-- A number must never be handed out twice. So the floor is raised first, to the highest number that
-- goes (handfast_engine.raise_new), and it is raised for good even if we are rolled back. Aggregates
-- with more than 1000 numbers stay: few have so many, and the floor is where all new ones begin. What
-- is less than an hour idle stays in any case: nobody may be just about to insert it again.
CREATE OR REPLACE FUNCTION handfast_engine.forget_aggregates(
    p_after text, p_before timestamptz, p_limit integer
) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    v_before timestamptz := least(p_before, handfast_db.now() - interval '1 hour');
    v_last   text;
    v_idle   text[];
    v_most   bigint;
BEGIN
    LOCK TABLE handfast_engine.aggregates IN SHARE UPDATE EXCLUSIVE MODE;  -- one of us at a time
    SELECT max(s.aggregate) INTO v_last FROM (
        SELECT a.aggregate FROM handfast_engine.aggregates AS a WHERE a.aggregate > p_after
        ORDER BY a.aggregate LIMIT p_limit
    ) AS s;
    SELECT array_agg(i.aggregate), max(i.sequence) INTO v_idle, v_most FROM (
        SELECT a.aggregate, a.sequence FROM handfast_engine.aggregates AS a
        WHERE a.aggregate > p_after AND a.aggregate <= v_last AND a.emitted_at < v_before
          AND a.sequence <= 1000
        FOR UPDATE SKIP LOCKED
    ) AS i;
    IF v_idle IS NOT NULL THEN
        PERFORM setval('handfast_engine.aggregate_floor', greatest(f.last_value, v_most))
        FROM handfast_engine.aggregate_floor AS f;
        DELETE FROM handfast_engine.aggregates AS a WHERE a.aggregate = ANY (v_idle);
    END IF;
    RETURN v_last;
END
$$;
