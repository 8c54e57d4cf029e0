-- Kinds may give their identities a horizon. Looks at the p_limit identities after p_after, in order
-- of id, and forgets those whose horizon has passed; answers where to go on, null at the end. A walk,
-- because an index on the finishing time would cost every job more than this costs all of them.
CREATE OR REPLACE FUNCTION handfast_engine.forget_identities(p_after bigint, p_limit integer) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    v_now  timestamptz := handfast_db.now();
    v_last bigint;
    v_ids  bigint[];
BEGIN
    IF NOT EXISTS (SELECT 1 FROM handfast_engine.kinds AS k WHERE k.horizon IS NOT NULL) THEN
        RETURN NULL;
    END IF;
    SELECT max(s.id) INTO v_last FROM (
        SELECT j.id FROM handfast_engine.jobs AS j WHERE j.id > p_after ORDER BY j.id LIMIT p_limit
    ) AS s;
    -- Locked first, and looked at by a statement that begins when they are: who came to depend on one
    -- of them had its lock, and may have written that only since the first statement began.
    v_ids := ARRAY(
        SELECT j.id FROM handfast_engine.jobs AS j JOIN handfast_engine.kinds AS k ON k.kind = j.kind
        WHERE j.id > p_after AND j.id <= v_last AND j.state IN ('succeeded', 'cancelled', 'skipped')
          AND j.finished_at < v_now - k.horizon
          AND NOT EXISTS (
              SELECT 1 FROM handfast_engine.prerequisites AS p WHERE p.requires_id = j.id AND NOT p.met
          )
        FOR UPDATE OF j SKIP LOCKED
    );
    WITH old AS (
        SELECT o.id FROM unnest(v_ids) AS o(id)
        WHERE NOT EXISTS (
            SELECT 1 FROM handfast_engine.prerequisites AS p WHERE p.requires_id = o.id AND NOT p.met
        )
    ), unneeded AS (
        DELETE FROM handfast_engine.prerequisites AS p USING old AS o
        WHERE p.job_id = o.id OR p.requires_id = o.id
    ), not_to_come_back AS (
        DELETE FROM handfast_engine.anchored_ends AS e USING old AS o WHERE e.job_id = o.id
    )
    DELETE FROM handfast_engine.jobs AS j USING old AS o WHERE j.id = o.id;
    RETURN v_last;
END
$$;
