-- Many events in one statement; the arrays are equally long. p_users[n] is a user whose stream the event
-- number p_of[n] belongs to (the first is 1). Answers the ids, in order.
--
-- The rows of all aggregates are locked in order of their names, then those of the users in order of
-- id, until the commit: as the last statement of its transaction it neither deadlocks with others like
-- it nor keeps them waiting.
CREATE OR REPLACE FUNCTION handfast_engine.emit_many(
    p_types text[], p_aggregates text[], p_data jsonb[],
    p_of integer[] DEFAULT NULL, p_users uuid[] DEFAULT NULL
) RETURNS uuid[]
LANGUAGE plpgsql AS $$
DECLARE
    v_now    timestamptz := handfast_db.now();
    v_ids    uuid[];
    v_names  text[];
    v_before bigint[];
    v_new    text[];
    v_floor  bigint := 0;
    v_wanted boolean;
BEGIN
    IF cardinality(p_types) <> cardinality(p_aggregates)
       OR cardinality(p_types) <> cardinality(p_data)
       OR coalesce(cardinality(p_of), 0) <> coalesce(cardinality(p_users), 0) THEN
        RAISE EXCEPTION 'types, aggregates and data must be equally many, and so must of and users'
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF cardinality(p_types) = 0 THEN
        RETURN '{}';
    END IF;
    WITH numbered AS (
        INSERT INTO handfast_engine.aggregates AS a (aggregate, sequence, emitted_at, latest)
        SELECT w.aggregate, count(*), v_now, count(*)
        FROM unnest(p_aggregates) AS w(aggregate)
        GROUP BY w.aggregate ORDER BY w.aggregate COLLATE "C"
        ON CONFLICT (aggregate) DO UPDATE
        SET sequence = a.sequence + excluded.latest, emitted_at = excluded.emitted_at,
            latest = excluded.latest
        RETURNING a.aggregate, a.sequence, a.latest
    )
    SELECT array_agg(n.aggregate), array_agg(n.sequence - n.latest),
           array_agg(n.aggregate) FILTER (WHERE n.sequence = n.latest)
    INTO v_names, v_before, v_new FROM numbered AS n;
    IF v_new IS NOT NULL THEN
        v_floor := handfast_engine.raise_new(v_new);
    END IF;

    v_ids := ARRAY(SELECT gen_random_uuid() FROM generate_subscripts(p_types, 1));
    WITH written AS (
        INSERT INTO handfast_engine.events (id, at, sequence, type, aggregate, data)
        SELECT e.id, v_now,
               b.before + CASE WHEN b.before = 0 THEN v_floor ELSE 0 END
                   + row_number() OVER (PARTITION BY e.aggregate ORDER BY e.ord),
               e.type, e.aggregate, e.data
        FROM unnest(v_ids, p_types, p_aggregates, p_data)
            WITH ORDINALITY AS e(id, type, aggregate, data, ord)
        JOIN unnest(v_names, v_before) AS b(aggregate, before) ON b.aggregate = e.aggregate
        ORDER BY e.ord
        RETURNING id, ordinal
    )
    INSERT INTO handfast_engine.outbox (ordinal, event_id, consumer)
    SELECT w.ordinal, w.id, c.name FROM written AS w
    CROSS JOIN handfast_engine.outbox_consumers AS c
    WHERE c.active OR current_setting('transaction_isolation') <> 'read committed';  -- see emit
    v_wanted := FOUND;
    IF cardinality(p_users) > 0 THEN
        PERFORM handfast_engine.tell_users(
            v_now, ARRAY(SELECT v_ids[o.n] FROM unnest(p_of) WITH ORDINALITY AS o(n, ord)
                         ORDER BY o.ord), p_users
        );
    END IF;
    -- Last: whoever fell asleep while we waited for the row of a user has to be told.
    PERFORM handfast_engine.wake_for_events(v_wanted);
    RETURN v_ids;
END
$$;
