-- What a process has done since it last said so, [{"kind": …, "succeeded": …, …}, …], is added to the
-- rows of this minute. In the order of kinds: two processes wait for each other, and do not deadlock.
CREATE OR REPLACE FUNCTION handfast_engine.note_figures(p_figures jsonb) RETURNS void
LANGUAGE sql AS $$
    INSERT INTO handfast_engine.figures AS f (
        kind, minute, succeeded, failed, lost, died, seconds, buckets
    )
    SELECT n.kind, date_trunc('minute', handfast_db.now()), coalesce(n.succeeded, 0),
           coalesce(n.failed, 0), coalesce(n.lost, 0), coalesce(n.died, 0), coalesce(n.seconds, 0),
           coalesce(n.buckets, array_fill(0::bigint, ARRAY[10]))
    FROM jsonb_to_recordset(p_figures) AS n(
        kind text, succeeded bigint, failed bigint, lost bigint, died bigint,
        seconds double precision, buckets bigint[]
    )
    ORDER BY n.kind COLLATE "C"
    ON CONFLICT (kind, minute) DO UPDATE SET
        succeeded = f.succeeded + excluded.succeeded, failed = f.failed + excluded.failed,
        lost = f.lost + excluded.lost, died = f.died + excluded.died,
        seconds = f.seconds + excluded.seconds,
        buckets = ARRAY(
            SELECT u.old + u.new
            FROM unnest(f.buckets, excluded.buckets) WITH ORDINALITY AS u(old, new, place)
            ORDER BY u.place
        )
$$;
