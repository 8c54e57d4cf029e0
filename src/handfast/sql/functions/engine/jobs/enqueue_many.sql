-- handfast_engine.enqueue_bulk with a row for each job: ordinal is its place in p_keys.
CREATE OR REPLACE FUNCTION handfast_engine.enqueue_many(
    p_kind     text,
    p_keys     text[],
    p_payloads jsonb[],
    p_due_at   timestamptz[] DEFAULT NULL,
    p_options  jsonb DEFAULT '{}'
) RETURNS TABLE (ordinal bigint, id bigint, created boolean, state handfast_engine.job_state)
LANGUAGE sql AS $$
    SELECT made.ordinal, made.id, made.created, made.state
    FROM handfast_engine.enqueue_bulk(p_kind, p_keys, p_payloads, p_due_at, p_options) AS bulk
    CROSS JOIN unnest(bulk.ids, bulk.created, bulk.states)
        WITH ORDINALITY AS made(id, created, state, ordinal)
    ORDER BY made.ordinal
$$;
