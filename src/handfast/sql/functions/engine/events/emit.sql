-- An event, written in the transaction that caused it, numbered within its aggregate; p_users are those
-- whose streams it belongs to. A row for each consumer that passes events on, and a notification only
-- for those who sleep: NOTIFY takes a lock on the whole server at commit.
--
-- Locks the aggregate's row and then those of the users, in order of id, until the commit: best as the
-- last statement of its transaction, and handfast_engine.emit_many for several.
CREATE OR REPLACE FUNCTION handfast_engine.emit(
    p_type text, p_aggregate text, p_data jsonb, p_users uuid[] DEFAULT NULL
) RETURNS uuid
LANGUAGE plpgsql AS $$
DECLARE
    v_id       uuid := gen_random_uuid();
    v_now      timestamptz := handfast_db.now();
    v_sequence bigint;
    v_ordinal  bigint;
BEGIN
    INSERT INTO handfast_engine.aggregates AS a (aggregate, sequence, emitted_at, latest)
    VALUES (p_aggregate, 1, v_now, 1)
    ON CONFLICT (aggregate) DO UPDATE
    SET sequence = a.sequence + 1, emitted_at = excluded.emitted_at, latest = 1
    RETURNING a.sequence INTO v_sequence;
    IF v_sequence = 1 THEN
        v_sequence := 1 + handfast_engine.raise_new(ARRAY[p_aggregate]);
    END IF;

    INSERT INTO handfast_engine.events (id, at, sequence, type, aggregate, data)
    VALUES (v_id, v_now, v_sequence, p_type, p_aggregate, p_data)
    RETURNING ordinal INTO v_ordinal;
    IF p_users IS NOT NULL THEN
        PERFORM handfast_engine.tell_users(
            v_now, array_fill(v_id, ARRAY[cardinality(p_users)]), p_users
        );
    END IF;
    INSERT INTO handfast_engine.outbox (ordinal, event_id, consumer)
    SELECT v_ordinal, v_id, c.name FROM handfast_engine.outbox_consumers AS c WHERE c.active;
    PERFORM pg_notify('handfast_' || s.waits_for, '') FROM handfast_engine.sleepers AS s
    WHERE s.until > clock_timestamp() AND (FOUND OR s.waits_for = 'events');
    RETURN v_id;
END
$$;
