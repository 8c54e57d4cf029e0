-- Statements of the match runs: corpus.

-- name: corpus_versions
SELECT v.version, v.state::text AS state, v.made_at, v.built_at, v.switched_at, v.left_at, v.startups,
    v.investors, v.matches, v.source, v.verdict, v.weights
FROM handfast_runs.corpus_versions AS v
WHERE $1::integer IS NULL OR v.version = $1
ORDER BY v.version DESC LIMIT $2;

-- name: current_corpus
SELECT v.version FROM handfast_runs.corpus_versions AS v WHERE v.state = 'current';

-- name: begin_corpus
SELECT handfast_runs.begin_corpus($1);

-- name: index_corpus_part
SELECT handfast_runs.index_corpus_part($1, $2);

-- name: attach_corpus
SELECT handfast_runs.attach_corpus($1);

-- name: note_weights
UPDATE handfast_runs.corpus_versions SET weights = $2 WHERE version = $1;

-- name: take_over_weights
UPDATE handfast_runs.corpus_versions AS v SET weights = o.weights
FROM handfast_runs.corpus_versions AS o WHERE v.version = $1 AND o.version = $2;

-- name: switch_corpus
SELECT outcome, was FROM handfast_runs.switch_corpus($1, $2, $3);

-- name: roll_back_corpus
SELECT version, was FROM handfast_runs.roll_back_corpus($1);

-- name: judge_corpus
SELECT handfast_runs.judge_corpus($1, $2, $3);

-- name: retire_corpus
SELECT version FROM handfast_runs.retire_corpus($1, $2, $3) AS version;

-- name: abandon_corpora
UPDATE handfast_runs.corpus_versions SET state = 'retired', verdict = '{"summary": "the build was cut off"}'
WHERE state = 'building' RETURNING version;

-- name: abandon_corpus
UPDATE handfast_runs.corpus_versions SET state = 'retired', verdict = jsonb_build_object('summary', $2::text)
WHERE state = 'building' AND version = $1;

-- name: take_corpus_lock
SELECT pg_try_advisory_xact_lock(hashtextextended('handfast.corpus.build', 0));

-- name: still_held
-- Whoever is answered has its transaction still, and so its lock.
SELECT 1;

-- name: corpus_leftovers
-- Tables of versions that are retired, or that no row knows, with the parent they are still part of.
SELECT c.relname::text AS name, p.relname::text AS parent, coalesce(i.inhdetachpending, false) AS pending
FROM pg_class AS c
LEFT JOIN pg_inherits AS i ON i.inhrelid = c.oid
LEFT JOIN pg_class AS p ON p.oid = i.inhparent
WHERE c.relnamespace = 'handfast_runs'::regnamespace AND c.relkind = 'r'
  AND c.relname ~ '^(startup_uploads|investors|startup_investor_matches)_v[0-9]+$'
  AND NOT EXISTS (
      SELECT FROM handfast_runs.corpus_versions AS v
      WHERE v.state <> 'retired' AND v.version = substring(c.relname FROM '[0-9]+$')::numeric
  )
ORDER BY c.relname;

-- name: user_table
-- A table or view of the user's: which of the columns $3 it has, and the query that reads them. Ids and
-- names may be of any type; lists and numbers stay what they are.
SELECT coalesce(array_agg(a.attname::text ORDER BY a.attnum) FILTER (WHERE a.attnum > 0), '{}') AS header,
    format('SELECT %s FROM %I.%I', string_agg(
        quote_ident(a.attname) || CASE
            WHEN a.attname IN ('startup_id', 'investor_id') THEN '::text'
            WHEN a.attname IN ('name', 'url', 'stage', 'country', 'pitch', 'thesis')
                AND c.relname <> 'startup_investor_matches' THEN '::text'
            ELSE ''
        END, ', ' ORDER BY a.attnum
    ), n.nspname, c.relname) AS query
FROM pg_class AS c
JOIN pg_namespace AS n ON n.oid = c.relnamespace
LEFT JOIN pg_attribute AS a
    ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attname = ANY ($3::text[])
WHERE n.nspname = $1 AND c.relname = $2 AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
GROUP BY n.nspname, c.relname;

-- name: corpus_scores
SELECT m.score, count(*) AS pairs FROM handfast_runs.startup_investor_matches AS m
WHERE m.version = $1 GROUP BY m.score ORDER BY m.score;

-- name: corpus_uncovered
SELECT count(*) FROM handfast_runs.startup_uploads AS s
WHERE s.version = $1 AND NOT EXISTS (
    SELECT FROM handfast_runs.startup_investor_matches AS m
    WHERE m.version = $1 AND m.startup_id = s.startup_id
);

-- name: corpus_overlap
-- The sample is the same whenever it is taken: by a checksum of the ids.
WITH sample AS (
    SELECT s.startup_id FROM handfast_runs.startup_uploads AS s
    WHERE s.version = $2
      AND EXISTS (SELECT FROM handfast_runs.startup_uploads AS n WHERE n.version = $1 AND n.startup_id = s.startup_id)
    ORDER BY md5(s.startup_id) LIMIT $3
), compared AS (
    SELECT count(o.investor_id) AS had, count(n.investor_id) AS has
    FROM sample AS s
    CROSS JOIN LATERAL (
        SELECT m.investor_id FROM handfast_runs.startup_investor_matches AS m
        WHERE m.version = $2 AND m.startup_id = s.startup_id
        ORDER BY m.score DESC, m.deals DESC, m.investor_id LIMIT $4
    ) AS o
    LEFT JOIN LATERAL (
        SELECT t.investor_id FROM (
            SELECT m.investor_id FROM handfast_runs.startup_investor_matches AS m
            WHERE m.version = $1 AND m.startup_id = s.startup_id
            ORDER BY m.score DESC, m.deals DESC, m.investor_id LIMIT $4
        ) AS t WHERE t.investor_id = o.investor_id
    ) AS n ON true
    GROUP BY s.startup_id
)
SELECT count(*) AS startups, avg(c.has::double precision / c.had) AS shared FROM compared AS c;

-- name: corpus_all_visible
SELECT c.relallvisible >= c.relpages FROM pg_class AS c
WHERE c.relnamespace = 'handfast_runs'::regnamespace AND c.relname = $1;

-- name: corpus_unvacuumed
-- Tables of versions that are read, whose pages could not all be marked when they were built.
SELECT c.relname::text FROM pg_class AS c
JOIN handfast_runs.corpus_versions AS v ON v.version = substring(c.relname FROM '[0-9]+$')::numeric
WHERE c.relnamespace = 'handfast_runs'::regnamespace AND c.relkind = 'r'
  AND c.relname ~ '^(startup_uploads|investors|startup_investor_matches)_v[0-9]+$'
  AND c.relallvisible < c.relpages AND v.state IN ('built', 'current', 'previous');
