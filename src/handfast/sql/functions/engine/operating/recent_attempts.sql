-- What the last minutes were like, at a bounded cost. Attempts are only ever appended, so the newest
-- ones are the last blocks of the newest days, read by their place on disk: as many as reach back to
-- the window's beginning, and at most p_blocks of each, however large the history is. When that is not
-- the whole window, `oldest` says how far it reached.
-- An attempt that ended a job unhappily keeps its payload: that is how deaths are told apart.
CREATE OR REPLACE FUNCTION handfast_engine.recent_attempts(p_window interval, p_blocks integer)
RETURNS TABLE (
    kind text, succeeded bigint, failed bigint, lost bigint, died bigint,
    p95 double precision, oldest timestamptz
)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    v_now    timestamptz := handfast_db.now();
    v_table  text;
    v_oid    regclass;
    v_end    bigint;
    v_first  bigint;
    v_older  boolean;
    v_parts  text[] := '{}';
BEGIN
    FOREACH v_table IN ARRAY ARRAY[
        'attempts_' || to_char(v_now AT TIME ZONE 'UTC', 'YYYYMMDD'),
        'attempts_' || to_char((v_now - p_window) AT TIME ZONE 'UTC', 'YYYYMMDD'),
        'attempts_other'
    ] LOOP
        v_oid := to_regclass('handfast_engine.' || v_table);
        CONTINUE WHEN v_oid IS NULL OR v_oid::text = ANY (v_parts);
        v_parts := v_parts || v_oid::text;
    END LOOP;
    FOR i IN 1 .. cardinality(v_parts) LOOP
        v_end := pg_relation_size(v_parts[i]::regclass) / current_setting('block_size')::bigint;
        v_first := greatest(0, v_end - least(32, p_blocks));
        WHILE v_first > greatest(0, v_end - p_blocks) LOOP
            EXECUTE format(
                'SELECT NOT EXISTS (SELECT FROM %s WHERE ctid >= %L::tid AND ctid < %L::tid AND finished_at > %L)',
                v_parts[i], format('(%s,0)', v_first), format('(%s,0)', v_first + 1), v_now - p_window
            ) INTO v_older;
            EXIT WHEN v_older;
            v_first := greatest(0, v_end - least(2 * (v_end - v_first), p_blocks));
        END LOOP;
        v_parts[i] := format(
            'SELECT kind, outcome, started_at, finished_at, payload IS NOT NULL AS ended FROM %s'
            ' WHERE ctid >= %L::tid AND finished_at > %L::timestamptz AND finished_at <= %L',
            v_parts[i], format('(%s,0)', v_first), v_now - p_window, v_now
        );
    END LOOP;
    RETURN QUERY EXECUTE format(
        $query$
            SELECT a.kind,
                   count(*) FILTER (WHERE a.outcome = 'succeeded'),
                   count(*) FILTER (WHERE a.outcome = 'failed'),
                   count(*) FILTER (WHERE a.outcome = 'lost'),
                   count(*) FILTER (WHERE a.outcome IN ('failed', 'lost') AND a.ended),
                   percentile_cont(0.95) WITHIN GROUP (
                       ORDER BY extract(epoch FROM a.finished_at - a.started_at)::double precision
                   ) FILTER (WHERE a.started_at IS NOT NULL),
                   min(a.finished_at)
            FROM (%s) AS a
            GROUP BY a.kind ORDER BY a.kind
        $query$, array_to_string(v_parts, ' UNION ALL ')
    );
END
$$;
