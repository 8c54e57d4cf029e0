-- Lock up to p_limit ready jobs of these kinds, from where each begins: the first by priority, due
-- time and id, down to the priority p_last. Answers them, and the bytes of their payloads. What
-- somebody else holds is passed over.
--
-- The kind that is first has the floor until the second begins: with one kind, or a backlog of one
-- before the others, that is all, one scan. Several are merged. A piece of each is read, without
-- locks, to find how far to go: to the last one that is wanted, or to where the first of the full
-- pieces ends, because nobody knows what comes behind it. Then everything up to there is locked; if
-- others held some of it, it goes on from there.
CREATE OR REPLACE FUNCTION handfast_engine.claimable(
    p_kinds handfast_engine.ready_kind[], p_limit integer, p_last smallint DEFAULT 1000,
    OUT ids bigint[], OUT bytes bigint
)
LANGUAGE plpgsql AS $$
DECLARE
    v_beyond handfast_engine.ready_kind := (NULL, NULL, NULL, p_last + 1, '-infinity', 0);
    v_first  handfast_engine.ready_kind := p_kinds[1];
    v_until  handfast_engine.ready_kind := v_beyond;
    v_left   integer;
    v_piece  integer;
    v_more   record;
BEGIN
    ids := '{}';
    bytes := 0;
    IF cardinality(p_kinds) = 0 THEN
        RETURN;
    ELSIF cardinality(p_kinds) > 1 THEN
        p_kinds := ARRAY(SELECT k FROM unnest(p_kinds) AS k ORDER BY k.priority, k.due_at, k.id);
        v_first := p_kinds[1];
        v_until := p_kinds[2];
    END IF;
    SELECT coalesce(array_agg(c.id), '{}'), coalesce(sum(c.bytes), 0) INTO ids, bytes
    FROM (
        SELECT l.id, handfast_engine.payload_bytes(l.payload) AS bytes FROM handfast_engine.live AS l
        WHERE l.lane = v_first.lane AND l.kind = v_first.kind AND l.version = v_first.version
          AND l.state = 'ready' AND l.group_name IS NULL
          AND (l.priority, l.due_at, l.id) >= (v_first.priority, v_first.due_at, v_first.id)
          AND (l.priority, l.due_at, l.id) < (v_until.priority, v_until.due_at, v_until.id)
        ORDER BY l.priority, l.due_at, l.id
        LIMIT p_limit FOR UPDATE SKIP LOCKED
    ) AS c;
    LOOP
        v_left := p_limit - cardinality(ids);
        EXIT WHEN v_left <= 0 OR v_until.priority > p_last;
        p_kinds := ARRAY(
            SELECT CASE
                WHEN (k.priority, k.due_at, k.id) > (v_until.priority, v_until.due_at, v_until.id) THEN k
                ELSE (k.lane, k.kind, k.version, v_until.priority, v_until.due_at, v_until.id)
                    ::handfast_engine.ready_kind
            END
            FROM unnest(p_kinds) AS k
        );
        v_piece := greatest(v_left * 3 / (cardinality(p_kinds) * 2), 10);
        SELECT NULL, NULL, NULL, s.priority, s.due_at, s.id + 1 INTO v_until
        FROM (
            SELECT p.*, row_number() OVER (ORDER BY p.priority, p.due_at, p.id) AS place
            FROM unnest(p_kinds) AS k
            CROSS JOIN LATERAL (
                SELECT o.*, row_number() OVER () AS nth
                FROM (
                    SELECT l.priority, l.due_at, l.id FROM handfast_engine.live AS l
                    WHERE l.lane = k.lane AND l.kind = k.kind AND l.version = k.version
                      AND l.state = 'ready' AND l.group_name IS NULL
                      AND (l.priority, l.due_at, l.id) >= (k.priority, k.due_at, k.id)
                      AND l.priority <= p_last
                    ORDER BY l.priority, l.due_at, l.id LIMIT v_piece
                ) AS o
            ) AS p
        ) AS s
        WHERE s.place = v_left OR s.nth = v_piece
        ORDER BY s.priority, s.due_at, s.id LIMIT 1;
        IF NOT FOUND THEN
            v_until := v_beyond;
        END IF;
        SELECT coalesce(array_agg(c.id), '{}') AS ids, coalesce(sum(c.bytes), 0) AS bytes INTO v_more
        FROM (
            SELECT c.* FROM unnest(p_kinds) AS k CROSS JOIN LATERAL (
                SELECT l.id, handfast_engine.payload_bytes(l.payload) AS bytes FROM handfast_engine.live AS l
                WHERE l.lane = k.lane AND l.kind = k.kind AND l.version = k.version
                  AND l.state = 'ready' AND l.group_name IS NULL
                  AND (l.priority, l.due_at, l.id) >= (k.priority, k.due_at, k.id)
                  AND (l.priority, l.due_at, l.id) < (v_until.priority, v_until.due_at, v_until.id)
                ORDER BY l.priority, l.due_at, l.id LIMIT v_piece FOR UPDATE SKIP LOCKED
            ) AS c
            LIMIT v_left
        ) AS c;
        ids := ids || v_more.ids;
        bytes := bytes + v_more.bytes;
    END LOOP;
END
$$;
