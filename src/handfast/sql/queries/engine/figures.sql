-- Statements of the engine: figures by the minute and the day.

-- name: note_figures
SELECT handfast_engine.note_figures($1::jsonb);

-- name: figures
-- Of one kind, or of all under the name '': one row of the table for each minute.
SELECT to_timestamp(floor(date_part('epoch', f.minute) / $4) * $4) AS at,
       sum(f.succeeded)::bigint AS succeeded, sum(f.failed)::bigint AS failed,
       sum(f.lost)::bigint AS lost, sum(f.died)::bigint AS died, sum(f.seconds) AS seconds,
       ARRAY[
           sum(f.buckets[1]), sum(f.buckets[2]), sum(f.buckets[3]), sum(f.buckets[4]),
           sum(f.buckets[5]), sum(f.buckets[6]), sum(f.buckets[7]), sum(f.buckets[8]),
           sum(f.buckets[9]), sum(f.buckets[10])
       ]::bigint[] AS buckets
FROM handfast_engine.figures AS f
WHERE f.kind = $1 AND f.minute >= $2 AND f.minute < $3
GROUP BY 1 ORDER BY 1;

-- name: figures_of_kinds
SELECT f.kind::text AS kind, sum(f.succeeded)::bigint AS succeeded, sum(f.failed)::bigint AS failed,
       sum(f.lost)::bigint AS lost, sum(f.died)::bigint AS died, sum(f.seconds) AS seconds,
       ARRAY[
           sum(f.buckets[1]), sum(f.buckets[2]), sum(f.buckets[3]), sum(f.buckets[4]),
           sum(f.buckets[5]), sum(f.buckets[6]), sum(f.buckets[7]), sum(f.buckets[8]),
           sum(f.buckets[9]), sum(f.buckets[10])
       ]::bigint[] AS buckets
FROM handfast_engine.figures AS f
WHERE f.minute >= $1 AND f.minute < $2 AND f.kind <> ''
GROUP BY f.kind ORDER BY 2 DESC, 1 LIMIT $3;

-- name: tick_days
SELECT d.schedule, d.day, d.fired, d.caught_up, d.skipped
FROM handfast_engine.tick_days AS d
WHERE d.day > (handfast_db.now() AT TIME ZONE 'UTC')::date - $1::integer
ORDER BY d.schedule, d.day;

-- name: figures_now
SELECT handfast_db.now();

-- name: prune_figures
WITH old AS (
    SELECT f.kind, f.minute FROM handfast_engine.figures AS f
    WHERE f.minute < handfast_db.now() - $1::interval ORDER BY f.minute LIMIT $2
), gone AS (
    DELETE FROM handfast_engine.figures AS f USING old AS o
    WHERE (f.kind, f.minute) = (o.kind, o.minute) RETURNING 1
), days AS (
    DELETE FROM handfast_engine.tick_days AS d
    WHERE d.day < ((handfast_db.now() - $1::interval) AT TIME ZONE 'UTC')::date
)
SELECT count(*) FROM gone;
