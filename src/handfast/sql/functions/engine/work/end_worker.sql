-- A worker leaves in good order. What it still runs (it ought to have handed everything back, but an
-- answer may have been lost on the way) goes back here: nobody would rescue it from an ended worker.
CREATE OR REPLACE FUNCTION handfast_engine.end_worker(p_worker bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    -- Not only an UPDATE: this must wait for a claim of its own that is still under way.
    PERFORM 1 FROM handfast_engine.workers AS w WHERE w.id = p_worker AND w.ended_at IS NULL FOR UPDATE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    PERFORM handfast_engine.hand_back(array_agg(l.id), array_agg(l.token))
    FROM handfast_engine.live AS l WHERE l.worker = p_worker AND l.state = 'running'
    HAVING count(*) > 0;
    DELETE FROM handfast_engine.cancellations AS c WHERE c.worker = p_worker;
    UPDATE handfast_engine.workers AS w SET ended_at = handfast_db.now(), idle = false WHERE w.id = p_worker;
END
$$;
