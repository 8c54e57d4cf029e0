-- Marks ticks of one schedule, makes the jobs of those that are not skipped, and moves the cursor:
-- all of it or nothing. The row lock lets one scheduler at a time do so; what another has already
-- marked is a conflict, counted and left alone. Refused, changing nothing, when the schedule has
-- been paused or changed since the ticks were computed.
--
-- Ticks that are caught up run below live work: at background priority or lower. p_options as in
-- handfast_engine.enqueue_many.
CREATE OR REPLACE FUNCTION handfast_engine.fire_ticks(
    p_schedule  text,
    p_revision  integer,
    p_ticks     timestamptz[],
    p_zones     text[],
    p_days      date[],
    p_keys      text[],
    p_payloads  jsonb[],
    p_caught_up boolean[],
    p_skipped   text[],
    p_cursor    timestamptz,
    p_next_at   timestamptz,
    p_options   jsonb DEFAULT '{}',
    OUT fired integer, OUT skipped integer, OUT conflicts integer, OUT refused boolean
)
LANGUAGE plpgsql AS $$
DECLARE
    v_background CONSTANT integer := 50;
    v_schedule   handfast_engine.schedules;
    v_priority   integer;
    v_fresh      bigint[];
    v_late       boolean;
    v_keys       text[];
    v_payloads   jsonb[];
    v_ticks      timestamptz[];
    v_zones      text[];
    v_existed    integer;
BEGIN
    fired := 0;
    skipped := 0;
    conflicts := 0;
    SELECT * INTO v_schedule FROM handfast_engine.schedules AS s WHERE s.name = p_schedule FOR UPDATE;
    refused := NOT FOUND OR v_schedule.paused_at IS NOT NULL OR v_schedule.revision <> p_revision;
    IF refused THEN
        RETURN;
    END IF;

    WITH input AS MATERIALIZED (
        SELECT i.* FROM unnest(p_ticks, p_zones, p_days, p_caught_up, p_skipped)
            WITH ORDINALITY AS i(tick, zone, day, caught_up, skipped, ord)
    ), marked AS (
        INSERT INTO handfast_engine.ticks AS t (schedule, tick, zone, day, fired_at, caught_up, skipped)
        SELECT p_schedule, i.tick, i.zone, i.day, handfast_db.now(), i.caught_up, i.skipped
        FROM input AS i ORDER BY i.ord
        ON CONFLICT DO NOTHING
        RETURNING t.tick, t.zone
    ), days AS (  -- for handfast_engine.tick_days: the schedule's row is locked, so nobody waits
        INSERT INTO handfast_engine.tick_days AS d (schedule, day, fired, caught_up, skipped)
        SELECT p_schedule, (i.tick AT TIME ZONE 'UTC')::date,
               count(*) FILTER (WHERE i.skipped IS NULL),
               count(*) FILTER (WHERE i.skipped IS NULL AND i.caught_up),
               count(*) FILTER (WHERE i.skipped IS NOT NULL)
        FROM marked AS m JOIN input AS i ON i.tick = m.tick AND i.zone = m.zone
        GROUP BY 2
        ON CONFLICT (schedule, day) DO UPDATE SET
            fired = d.fired + excluded.fired, caught_up = d.caught_up + excluded.caught_up,
            skipped = d.skipped + excluded.skipped
    )
    SELECT array_agg(i.ord ORDER BY i.ord) FILTER (WHERE i.skipped IS NULL),
           count(*) FILTER (WHERE i.skipped IS NOT NULL),
           cardinality(p_ticks) - count(*)
    INTO v_fresh, skipped, conflicts
    FROM marked AS m JOIN input AS i ON i.tick = m.tick AND i.zone = m.zone;
    fired := coalesce(cardinality(v_fresh), 0);

    v_priority := coalesce(
        (p_options ->> 'priority')::integer,
        (SELECT k.priority FROM handfast_engine.kinds AS k WHERE k.kind = v_schedule.kind),
        10
    );
    FOREACH v_late IN ARRAY ARRAY[false, true] LOOP
        SELECT array_agg(i.key ORDER BY i.ord), array_agg(i.payload ORDER BY i.ord),
               array_agg(i.tick ORDER BY i.ord), array_agg(i.zone ORDER BY i.ord)
        INTO v_keys, v_payloads, v_ticks, v_zones
        FROM unnest(p_keys, p_payloads, p_ticks, p_zones, p_caught_up)
            WITH ORDINALITY AS i(key, payload, tick, zone, caught_up, ord)
        WHERE i.caught_up = v_late AND i.ord = ANY (v_fresh);
        CONTINUE WHEN v_keys IS NULL;
        WITH made AS MATERIALIZED (
            SELECT e.ordinal, e.id, e.created FROM handfast_engine.enqueue_many(
                v_schedule.kind, v_keys, v_payloads, v_ticks,
                CASE WHEN v_late THEN p_options || jsonb_build_object(
                    'priority', least(1000, greatest(v_background, v_priority + 10))
                ) ELSE p_options END
            ) AS e
        ), noted AS (
            UPDATE handfast_engine.ticks AS t SET job_id = d.id
            FROM made AS d
            JOIN unnest(v_ticks, v_zones) WITH ORDINALITY AS u(tick, zone, n) ON u.n = d.ordinal
            WHERE t.schedule = p_schedule AND t.tick = u.tick AND t.zone = u.zone
        )
        SELECT count(*) FILTER (WHERE NOT d.created) INTO v_existed FROM made AS d;
        conflicts := conflicts + v_existed;
    END LOOP;

    UPDATE handfast_engine.schedules AS s
    SET cursor = p_cursor, next_at = p_next_at
    WHERE s.name = p_schedule AND s.cursor <= p_cursor;
END
$$;
