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
    -- A snapshot that is kept does not show who has become active since: then there is a row for each
    -- consumer, and its relay finds out.
    v_kept     boolean := current_setting('transaction_isolation') <> 'read committed';
    v_wanted   boolean;
    v_asleep   boolean;
BEGIN
    -- Nearly always it is there; the INSERT alone would write the lock of its row as well.
    UPDATE handfast_engine.aggregates AS a
    SET sequence = a.sequence + 1, emitted_at = v_now, latest = 1
    WHERE a.aggregate = p_aggregate RETURNING a.sequence INTO v_sequence;
    IF NOT FOUND THEN
        v_sequence := handfast_engine.first_number(p_aggregate, v_now);
    END IF;
    INSERT INTO handfast_engine.events (id, at, sequence, type, aggregate, data)
    VALUES (v_id, v_now, v_sequence, p_type, p_aggregate, p_data)
    RETURNING ordinal INTO v_ordinal;
    IF p_users IS NOT NULL THEN
        PERFORM handfast_engine.tell_users(
            v_now, array_fill(v_id, ARRAY[cardinality(p_users)]), p_users
        );
    END IF;
    SELECT EXISTS (SELECT 1 FROM handfast_engine.outbox_consumers AS c WHERE c.active OR v_kept),
           EXISTS (SELECT 1 FROM handfast_engine.sleepers AS s
                   WHERE s.until > clock_timestamp() AND s.waits_for IN ('events', 'outbox'))
    INTO v_wanted, v_asleep;
    IF v_wanted THEN
        INSERT INTO handfast_engine.outbox (ordinal, event_id, consumer)
        SELECT v_ordinal, v_id, c.name FROM handfast_engine.outbox_consumers AS c WHERE c.active OR v_kept;
    END IF;
    IF v_asleep THEN
        PERFORM handfast_engine.wake_for_events(v_wanted);
    END IF;
    RETURN v_id;
END
$$;
