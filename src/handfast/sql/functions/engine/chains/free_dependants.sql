-- These jobs have succeeded: whoever waited only for them may go. Dependants are locked in order of
-- their ids, so that two prerequisites that finish at the same instant queue up here, and the
-- second one sees what the first has counted.
CREATE OR REPLACE FUNCTION handfast_engine.free_dependants(p_ids bigint[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_now   timestamptz := handfast_db.now();
    v_lanes text[];
    v_kinds text[];
BEGIN
    PERFORM 1 FROM handfast_engine.live AS l
    WHERE l.id IN (
        SELECT p.job_id FROM handfast_engine.prerequisites AS p
        WHERE p.requires_id = ANY (p_ids) AND NOT p.met
    )
    ORDER BY l.id FOR UPDATE;

    WITH met AS (
        UPDATE handfast_engine.prerequisites AS p SET met = true
        WHERE p.requires_id = ANY (p_ids) AND NOT p.met
        RETURNING p.job_id
    ), counted AS (
        SELECT m.job_id, count(*)::integer AS n FROM met AS m GROUP BY m.job_id
    ), freed AS (
        UPDATE handfast_engine.live AS l
        SET waits_for = l.waits_for - c.n,
            reason = CASE WHEN l.waits_for = c.n THEN NULL ELSE l.reason END,
            state = CASE WHEN l.waits_for > c.n THEN l.state
                         WHEN l.due_at > v_now THEN 'scheduled'::handfast_engine.job_state
                         ELSE 'ready'::handfast_engine.job_state END
        FROM counted AS c
        WHERE l.id = c.job_id AND l.state = 'blocked'
        RETURNING l.lane, l.kind, l.state
    )
    SELECT array_agg(DISTINCT f.lane), array_agg(DISTINCT f.kind) INTO v_lanes, v_kinds
    FROM freed AS f WHERE f.state = 'ready';

    IF v_lanes IS NOT NULL THEN
        PERFORM handfast_engine.wake(v_lanes, v_kinds);
    END IF;
END
$$;
