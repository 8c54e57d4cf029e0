-- What is left of these lanes and kinds while some are paused. No kinds is not any kind: whoever
-- claims without naming kinds is given those that have ready jobs now.
CREATE OR REPLACE FUNCTION handfast_engine.unpaused(
    INOUT lanes text[], INOUT kinds text[], INOUT versions smallint[]
)
LANGUAGE plpgsql
SET enable_seqscan = off SET jit = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    v_versions boolean := versions IS NOT NULL;
    v_paused   text[] := ARRAY(SELECT p.name FROM handfast_engine.pauses AS p WHERE p.what = 'kind');
BEGIN
    lanes := ARRAY(
        SELECT n.lane FROM unnest(lanes) WITH ORDINALITY AS n(lane, place)
        WHERE NOT EXISTS (
            SELECT 1 FROM handfast_engine.pauses AS p WHERE p.what = 'lane' AND p.name = n.lane
        )
        ORDER BY n.place
    );
    IF cardinality(v_paused) = 0 THEN
        RETURN;
    END IF;
    IF kinds IS NULL THEN
        kinds := ARRAY(
            SELECT DISTINCT k.kind
            FROM unnest(handfast_engine.ready_kinds(lanes, NULL, NULL)) AS k
            UNION
            SELECT g.kind FROM unnest(lanes) AS n(lane)
            CROSS JOIN LATERAL handfast_engine.ready_grouped_kinds(n.lane) AS g(kind)
        );
    END IF;
    SELECT coalesce(array_agg(k.kind ORDER BY k.place), '{}'),
           CASE WHEN v_versions THEN coalesce(array_agg(k.newest ORDER BY k.place), '{}') END
    INTO kinds, versions
    FROM unnest(kinds, versions) WITH ORDINALITY AS k(kind, newest, place)
    WHERE k.kind <> ALL (v_paused);
END
$$;
