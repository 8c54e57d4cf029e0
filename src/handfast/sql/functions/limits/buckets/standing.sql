-- What a row means at p_now: what is left of a limit, and how long until p_cost of it could be
-- taken (one unit, if the cost is 0). A row that is not there is given as nulls. Everything is
-- counted in whole microseconds.
--
-- p_window: each unit comes back one period after it was taken; "live" are the moments of those that
-- have not. Otherwise the units come back evenly, and "owed_us" is how long until all of them have.
--
-- The clock may have been set back behind what the row says: "behind". Then the moments of a window
-- move back together, so that the newest of them is now: each of them is at least that old, so nothing comes
-- back sooner than it should; and everything is back one period from now. A bucket owes at most
-- the whole of it. Both hold on only if they are written: else the next who asks would find a newest
-- moment that is now again.
CREATE OR REPLACE FUNCTION handfast_limits.standing(
    p_window boolean, p_quota bigint, p_period_us bigint, p_cost bigint,
    p_whole_at timestamptz, p_stamps timestamptz[], p_now timestamptz,
    OUT live timestamptz[], OUT owed_us bigint, OUT behind boolean,
    OUT remaining bigint, OUT reset_us bigint, OUT retry_after_us bigint
) LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    v_period interval := p_period_us * interval '1 microsecond';
    v_unit   bigint := p_period_us / p_quota;
    v_whole  bigint := p_quota * (p_period_us / p_quota);
    v_latest timestamptz := p_now + p_quota * (p_period_us / p_quota) * interval '1 microsecond';
    v_ahead  interval;
    v_over   bigint;
BEGIN
    -- Cut before it is subtracted: nobody knows what is in the row.
    owed_us := (extract(epoch FROM least(greatest(p_whole_at, p_now), v_latest) - p_now) * 1000000)::bigint;
    IF NOT p_window THEN
        behind := coalesce(p_whole_at > v_latest, false);
        remaining := (v_whole - owed_us) / v_unit;
        reset_us := owed_us;
        retry_after_us := greatest(0, owed_us + greatest(p_cost, 1) * v_unit - v_whole);
        RETURN;
    END IF;

    -- The row of a limit that was no window until now: what it owes counts as taken now.
    live := coalesce(p_stamps, array_fill(p_now, ARRAY[ceil(owed_us::numeric / v_unit)::integer]));
    SELECT greatest(max(s.at) - p_now, interval '0') INTO v_ahead FROM unnest(live) AS s(at);
    behind := coalesce(v_ahead > interval '0', false);
    live := ARRAY(
        SELECT s.at - v_ahead FROM unnest(live) AS s(at)
        WHERE s.at - v_ahead > p_now - v_period
        ORDER BY s.at
    );
    v_over := cardinality(live) + greatest(p_cost, 1) - p_quota;
    remaining := greatest(0, p_quota - cardinality(live));
    reset_us := coalesce(extract(epoch FROM live[cardinality(live)] + v_period - p_now) * 1000000, 0)::bigint;
    retry_after_us := CASE
        WHEN v_over > 0 THEN (extract(epoch FROM live[v_over] + v_period - p_now) * 1000000)::bigint
        ELSE 0
    END;
END
$$;
