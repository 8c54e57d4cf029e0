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
-- cannot deadlock; then it is judged again.
--
-- Limit by limit and not as a set: a request asks for one or two, and a statement over arrays costs as
-- much as a dozen look-ups by key.
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
    v_count integer := cardinality(p_names);
    v_now   timestamptz;
    v_order integer[];  -- by the keys of their rows
    v_units bigint[] := array_fill(0::bigint, ARRAY[v_count]);  -- what one unit costs, in microseconds
    v_whole timestamptz[] := array_fill(NULL::timestamptz, ARRAY[v_count]);  -- as the rows say
    v_owed  bigint[] := v_units;  -- what each subject owes now
    v_all   boolean;
    v_above boolean;  -- a row says more than the whole quota
    v_row   timestamptz;
    v_last  timestamptz;
    i       integer;
BEGIN
    SELECT array_agg(a.place ORDER BY a.name COLLATE "C", a.subject COLLATE "C") INTO v_order
    FROM unnest(p_names, p_subjects) WITH ORDINALITY AS a(name, subject, place);
    FOR i IN 1 .. v_count LOOP
        v_units[i] := (extract(epoch FROM p_periods[i]) * 1000000)::bigint / p_quotas[i];
    END LOOP;

    FOR v_look IN 1 .. 2 LOOP
        FOREACH i IN ARRAY v_order LOOP
            IF v_look = 1 THEN
                SELECT b.whole_at INTO v_row FROM handfast_limits.buckets AS b
                WHERE b.name = p_names[i] COLLATE "C" AND b.subject = p_subjects[i] COLLATE "C";
            ELSE
                LOOP
                    SELECT b.whole_at INTO v_row FROM handfast_limits.buckets AS b
                    WHERE b.name = p_names[i] COLLATE "C" AND b.subject = p_subjects[i] COLLATE "C"
                    FOR UPDATE;
                    EXIT WHEN FOUND;
                    INSERT INTO handfast_limits.buckets (name, subject, whole_at)
                    VALUES (p_names[i], p_subjects[i], v_now)
                    ON CONFLICT ON CONSTRAINT buckets_pkey DO NOTHING;
                END LOOP;
            END IF;
            v_whole[i] := v_row;
        END LOOP;
        v_now := handfast_db.now();  -- after the locks: waiting for them took time
        v_all := true;
        v_above := false;
        FOR i IN 1 .. v_count LOOP
            v_last := v_now + p_quotas[i] * v_units[i] * interval '1 microsecond';
            v_above := v_above OR coalesce(v_whole[i] > v_last, false);
            -- Cut before it is subtracted: an infinite moment cannot be.
            v_owed[i] := (extract(epoch FROM least(greatest(v_whole[i], v_now), v_last) - v_now)
                          * 1000000)::bigint;
            v_all := v_all AND v_owed[i] + greatest(p_costs[i], 1) * v_units[i]
                               <= p_quotas[i] * v_units[i];
        END LOOP;
        EXIT WHEN NOT v_all OR 0 = ALL (p_costs);
    END LOOP;

    IF v_all AND NOT 0 = ALL (p_costs) THEN
        IF NOT p_durable THEN
            PERFORM set_config('synchronous_commit', 'off', true);
        END IF;
        FOR i IN 1 .. v_count LOOP
            CONTINUE WHEN p_costs[i] = 0;
            UPDATE handfast_limits.buckets AS b
            SET whole_at = v_now + (v_owed[i] + p_costs[i] * v_units[i]) * interval '1 microsecond'
            WHERE b.name = p_names[i] COLLATE "C" AND b.subject = p_subjects[i] COLLATE "C";
        END LOOP;
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

    FOR i IN 1 .. v_count LOOP
        admitted := v_owed[i] + greatest(p_costs[i], 1) * v_units[i] <= p_quotas[i] * v_units[i];
        retry_after_us := greatest(
            0, v_owed[i] + greatest(p_costs[i], 1) * v_units[i] - p_quotas[i] * v_units[i]
        );
        reset_us := v_owed[i] + CASE WHEN v_all THEN p_costs[i] * v_units[i] ELSE 0 END;
        remaining := greatest(0, p_quotas[i] * v_units[i] - reset_us) / v_units[i];
        RETURN NEXT;
    END LOOP;
END
$$;
