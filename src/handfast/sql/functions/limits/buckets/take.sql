-- Take p_costs[i] units from each of the limits at once, or from none of them: if one refuses, none
-- is charged. A cost of 0 only looks whether one unit would be given. Answers one row for each
-- limit, in the order asked.
--
-- Everything is counted in whole microseconds, so that a quota of 7 in a minute gives exactly 7: one
-- unit costs p_periods[i] / p_quotas[i], rounded down, and a subject may owe at most the whole
-- quota's worth. What is owed is paid off by time alone.
--
-- A row that says more (the clock was set back, or the quota was larger) counts as the whole quota,
-- and is written as that, so that it is paid off from now on: nobody waits for the clock to come back.
--
-- Any other refusal needs neither lock nor write: what is owed can only have grown since it was read. So a
-- flood of refused requests leaves nothing in the write-ahead log. Before anything is taken, rows are
-- made or locked one after the other in the order of their keys, so that calls which share limits
-- cannot deadlock; then it is looked again.
--
-- p_durable false: the commit is not waited for, and a crash of the server (not a restart) may
-- forget what was taken in its last moments. Only for a call that is a transaction of its own.
CREATE OR REPLACE FUNCTION handfast_limits.take(
    p_names    text[],
    p_subjects text[],
    p_quotas   bigint[],
    p_periods  interval[],
    p_costs    bigint[],
    p_durable  boolean
) RETURNS TABLE (admitted boolean, remaining bigint, reset_us bigint, retry_after_us bigint)
LANGUAGE plpgsql AS $$
DECLARE
    v_now   timestamptz;
    v_units bigint[];  -- what one unit costs, in microseconds
    v_owed  bigint[];  -- what each subject owes now
    v_all   boolean;
    v_above boolean;   -- a row says more than the whole quota
BEGIN
    SELECT array_agg((extract(epoch FROM a.period) * 1000000)::bigint / a.quota ORDER BY a.place)
    INTO v_units
    FROM unnest(p_quotas, p_periods) WITH ORDINALITY AS a(quota, period, place);

    FOR v_look IN 1 .. 2 LOOP
        v_now := handfast_db.now();  -- anew after the locks: waiting for them took time
        SELECT array_agg(o.owed ORDER BY o.place),
               bool_and(o.owed + greatest(o.cost, 1) * o.unit <= o.quota * o.unit),
               bool_or(o.above)
        INTO v_owed, v_all, v_above
        FROM (
            -- Cut before it is subtracted: an infinite moment cannot be.
            SELECT a.place, a.quota, a.unit, a.cost, coalesce(b.whole_at > l.latest, false) AS above,
                   (extract(epoch FROM least(greatest(b.whole_at, v_now), l.latest) - v_now)
                    * 1000000)::bigint AS owed
            FROM unnest(p_names, p_subjects, p_quotas, v_units, p_costs) WITH ORDINALITY
                 AS a(name, subject, quota, unit, cost, place)
            CROSS JOIN LATERAL (
                SELECT v_now + a.quota * a.unit * interval '1 microsecond' AS latest
            ) AS l
            LEFT JOIN handfast_limits.buckets AS b
              ON b.name = a.name COLLATE "C" AND b.subject = a.subject COLLATE "C"
        ) AS o;
        EXIT WHEN NOT v_all OR 0 = ALL (p_costs) OR v_look = 2;
        -- The update never happens; a row that was there is locked all the same.
        INSERT INTO handfast_limits.buckets AS b (name, subject, whole_at)
        SELECT a.name, a.subject, v_now FROM unnest(p_names, p_subjects) AS a(name, subject)
        ORDER BY a.name COLLATE "C", a.subject COLLATE "C"
        ON CONFLICT ON CONSTRAINT buckets_pkey DO UPDATE SET whole_at = b.whole_at WHERE false;
    END LOOP;

    IF v_all AND NOT 0 = ALL (p_costs) THEN
        IF NOT p_durable THEN
            PERFORM set_config('synchronous_commit', 'off', true);
        END IF;
        UPDATE handfast_limits.buckets AS b
        SET whole_at = v_now + (a.owed + a.cost * a.unit) * interval '1 microsecond'
        FROM unnest(p_names, p_subjects, v_units, p_costs, v_owed) AS a(name, subject, unit, cost, owed)
        WHERE b.name = a.name COLLATE "C" AND b.subject = a.subject COLLATE "C" AND a.cost > 0;
    ELSIF v_above THEN
        WITH above AS MATERIALIZED (
            SELECT b.name, b.subject, l.latest
            FROM unnest(p_names, p_subjects, p_quotas, v_units) AS a(name, subject, quota, unit)
            CROSS JOIN LATERAL (
                SELECT v_now + a.quota * a.unit * interval '1 microsecond' AS latest
            ) AS l
            JOIN handfast_limits.buckets AS b
              ON b.name = a.name COLLATE "C" AND b.subject = a.subject COLLATE "C"
            WHERE b.whole_at > l.latest
            ORDER BY b.name, b.subject
            FOR UPDATE OF b
        )
        UPDATE handfast_limits.buckets AS b SET whole_at = o.latest FROM above AS o
        WHERE b.name = o.name AND b.subject = o.subject;
    END IF;

    RETURN QUERY
    SELECT s.owed + s.needed <= s.whole,
           greatest(0, s.whole - s.owes) / s.unit,
           s.owes,
           greatest(0, s.owed + s.needed - s.whole)
    FROM (
        SELECT a.place, a.unit, a.owed, a.quota * a.unit AS whole,
               greatest(a.cost, 1) * a.unit AS needed,
               a.owed + CASE WHEN v_all THEN a.cost * a.unit ELSE 0 END AS owes
        FROM unnest(v_units, p_quotas, p_costs, v_owed) WITH ORDINALITY
             AS a(unit, quota, cost, owed, place)
    ) AS s
    ORDER BY s.place;
END
$$;
