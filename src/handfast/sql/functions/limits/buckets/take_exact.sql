-- As handfast_limits.take, where at least one of the limits is exact: all of them admit, or none is
-- charged; one row for each limit, in the order asked. p_windows says which keep the moment of each
-- unit; the others, exact or not, are buckets. Also for a call in somebody's transaction: whatever
-- it takes goes back if that is rolled back.
--
-- The clock is read after the locks, and whoever took before us wrote down a moment from before
-- them: so a later moment in a row means that the clock was set back ("behind", and handfast_limits.standing
-- says what becomes of it). Without the locks it may also mean that somebody was quicker.
--
-- Any other refusal needs neither lock nor write. Rows are locked in the order of their keys,
-- the same order as in handfast_limits.take.
CREATE OR REPLACE FUNCTION handfast_limits.take_exact(
    p_names    text[],
    p_subjects text[],
    p_quotas   bigint[],
    p_periods  interval[],
    p_costs    bigint[],
    p_windows  boolean[]
) RETURNS TABLE (
    admitted boolean, remaining bigint, reset_us bigint, retry_after_us bigint, behind boolean
)
LANGUAGE plpgsql AS $$
DECLARE
    v_now       timestamptz;
    v_periods   bigint[];  -- in microseconds
    v_all       boolean;
    v_behind    boolean;
    v_remaining bigint[];
    v_reset     bigint[];
    v_retry     bigint[];
BEGIN
    SELECT array_agg((extract(epoch FROM a.period) * 1000000)::bigint ORDER BY a.place)
    INTO v_periods
    FROM unnest(p_periods) WITH ORDINALITY AS a(period, place);

    FOR v_look IN 1 .. 2 LOOP
        v_now := handfast_db.now();  -- anew after the locks
        SELECT bool_and(s.retry_after_us = 0), bool_or(s.behind), array_agg(s.remaining ORDER BY a.place),
               array_agg(s.reset_us ORDER BY a.place), array_agg(s.retry_after_us ORDER BY a.place)
        INTO v_all, v_behind, v_remaining, v_reset, v_retry
        FROM unnest(p_names, p_subjects, p_quotas, v_periods, p_costs, p_windows) WITH ORDINALITY
             AS a(name, subject, quota, period, cost, is_window, place)
        LEFT JOIN handfast_limits.buckets AS b
          ON b.name = a.name COLLATE "C" AND b.subject = a.subject COLLATE "C"
        CROSS JOIN LATERAL handfast_limits.standing(
            a.is_window, a.quota, a.period, a.cost, b.whole_at, b.stamps, v_now
        ) AS s;
        EXIT WHEN v_look = 2 OR NOT (v_behind OR (v_all AND NOT 0 = ALL (p_costs)));
        -- The update never happens; a row that was there is locked all the same.
        INSERT INTO handfast_limits.buckets AS b (name, subject, whole_at, stamps)
        SELECT a.name, a.subject, v_now, CASE WHEN a.is_window THEN '{}'::timestamptz[] END
        FROM unnest(p_names, p_subjects, p_windows) AS a(name, subject, is_window)
        ORDER BY a.name COLLATE "C", a.subject COLLATE "C"
        ON CONFLICT ON CONSTRAINT buckets_pkey DO UPDATE SET whole_at = b.whole_at WHERE false;
    END LOOP;

    IF v_behind OR (v_all AND NOT 0 = ALL (p_costs)) THEN
        WITH told AS MATERIALIZED (
            SELECT a.name, a.subject, a.period, a.is_window, a.period / a.quota AS unit, s.live, s.owed_us,
                   s.behind, CASE WHEN v_all THEN a.cost ELSE 0 END AS cost
            FROM unnest(p_names, p_subjects, p_quotas, v_periods, p_costs, p_windows)
                 AS a(name, subject, quota, period, cost, is_window)
            JOIN handfast_limits.buckets AS b
              ON b.name = a.name COLLATE "C" AND b.subject = a.subject COLLATE "C"
            CROSS JOIN LATERAL handfast_limits.standing(
                a.is_window, a.quota, a.period, a.cost, b.whole_at, b.stamps, v_now
            ) AS s
        )
        UPDATE handfast_limits.buckets AS b
        SET stamps = CASE WHEN t.is_window THEN t.live || array_fill(v_now, ARRAY[t.cost::integer]) END,
            -- The newest moment is now: what was taken just now, or what the clock fell behind.
            whole_at = v_now + interval '1 microsecond'
                       * CASE WHEN t.is_window THEN t.period ELSE t.owed_us + t.cost * t.unit END
        FROM told AS t
        WHERE b.name = t.name COLLATE "C" AND b.subject = t.subject COLLATE "C"
          AND (t.cost > 0 OR t.behind);
    END IF;

    RETURN QUERY
    SELECT a.retry = 0,
           a.remaining - CASE WHEN v_all THEN a.cost ELSE 0 END,
           CASE
               WHEN NOT v_all OR a.cost = 0 THEN a.reset
               WHEN a.is_window THEN a.period
               ELSE a.reset + a.cost * (a.period / a.quota)
           END,
           a.retry,
           v_behind
    FROM unnest(p_quotas, v_periods, p_costs, p_windows, v_remaining, v_reset, v_retry) WITH ORDINALITY
         AS a(quota, period, cost, is_window, remaining, reset, retry, place)
    ORDER BY a.place;
END
$$;
