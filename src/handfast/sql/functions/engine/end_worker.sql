-- A worker leaves in good order, having handed back what it ran.
CREATE OR REPLACE FUNCTION engine.end_worker(p_worker bigint) RETURNS void
LANGUAGE sql AS $$
    DELETE FROM engine.cancellations WHERE worker = p_worker;
    UPDATE engine.workers SET ended_at = db.now(), idle = false
    WHERE id = p_worker AND ended_at IS NULL
$$;
