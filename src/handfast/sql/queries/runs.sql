-- Statements of the match runs. What must be atomic is a function; these are how Python calls them.

-- name: start
SELECT run_id, startup_id, input_url, canonical_url, status::text, step::text, match_count,
       error_code, error_message, locked_by, lock_expires_at, created_at, updated_at, corpus_version,
       created
FROM runs.start_canonical_run($1, $2, $3);

-- name: run
SELECT run_id, startup_id, input_url, canonical_url, status::text, step::text, match_count,
       error_code, error_message, locked_by, lock_expires_at, created_at, updated_at, corpus_version
FROM runs.match_runs
WHERE run_id = $1;

-- name: runs_between
SELECT run_id FROM runs.match_runs WHERE run_id BETWEEN $1 AND $2 ORDER BY run_id LIMIT $3;

-- name: runs_of
SELECT run_id, startup_id, input_url, canonical_url, status::text, step::text, match_count,
       error_code, error_message, locked_by, lock_expires_at, created_at, updated_at, corpus_version
FROM runs.match_runs
WHERE run_id = ANY ($1::uuid[]);

-- name: newest_runs
SELECT run_id, startup_id, input_url, canonical_url, status::text, step::text, match_count,
       error_code, error_message, locked_by, lock_expires_at, created_at, updated_at, corpus_version
FROM runs.match_runs
WHERE $1::uuid IS NULL OR (created_at, run_id) < (
    SELECT o.created_at, o.run_id FROM runs.records AS o WHERE o.run_id = $1
)
ORDER BY created_at DESC, run_id DESC
LIMIT $2;

-- name: debug
SELECT runs.get_match_run_debug($1) AS known;

-- name: profile
SELECT c.state <> 'retired' AS kept, c.weights, s.name, s.url, s.stage, s.country, s.raising,
       coalesce(s.sectors, '{}') AS sectors, s.pitch
FROM runs.corpus_versions AS c
LEFT JOIN runs.startup_uploads AS s ON s.version = c.version AND s.startup_id = $2
WHERE c.version = $1;

-- name: page
SELECT t.investor_id, t.score, t.sector, t.stage, t.geography, t.cheque, t.thesis, t.activity,
       coalesce(i.name, t.investor_id) AS name, i.url, coalesce(i.stages, '{}') AS stages,
       coalesce(i.countries, '{}') AS countries, coalesce(i.sectors, '{}') AS sectors,
       i.cheque_min, i.cheque_max, i.deals
FROM runs.get_top_matches($2, $3, $1, $4, $5) AS t
LEFT JOIN runs.investors AS i ON i.version = $1 AND i.investor_id = t.investor_id
ORDER BY t.score DESC, t.deals DESC, t.investor_id COLLATE "C";

-- name: begin
SELECT held, ended, error_code, corpus_version, startup_id, name, stage, country, raising,
       coalesce(sectors, '{}') AS sectors, pitch
FROM runs.begin_match_run($1, $2, $3);

-- name: advance
SELECT runs.advance_match_run($1, $2, $3, $4::text::runs.match_run_step) AS held;

-- name: count
SELECT runs.count_matches($1, $2) AS matches;

-- name: top
SELECT investor_id, score FROM runs.get_top_matches($1, $2, $3);

-- name: complete
SELECT runs.complete_match_run($1, $2, $3, $4::text::runs.match_run_status, $5, $6, $7) AS done;

-- name: login
SELECT current_user::text AS role,
       (SELECT r.rolsuper FROM pg_roles AS r WHERE r.rolname = current_user) AS superuser,
       has_schema_privilege('runs', 'USAGE')
           AND has_function_privilege(
               'runs.complete_match_run(uuid, text, bigint, runs.match_run_status, integer, text, text)',
               'EXECUTE'
           ) AS works,
       has_table_privilege('runs.startup_investor_matches', 'INSERT, UPDATE, DELETE, TRUNCATE')
           OR has_table_privilege('runs.startup_uploads', 'INSERT, UPDATE, DELETE, TRUNCATE')
           OR has_table_privilege('runs.investors', 'INSERT, UPDATE, DELETE, TRUNCATE') AS writes;

-- name: spare_rights
-- What the login may do only because every role may: the statements that would take it away.
SELECT format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC;', current_database()) AS statement
WHERE has_database_privilege(current_database(), 'TEMPORARY')
UNION ALL
SELECT 'REVOKE EXECUTE ON FUNCTION lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea) '
    'FROM PUBLIC;'
WHERE has_function_privilege('pg_catalog.lo_create(oid)', 'EXECUTE');

-- name: role_exists
-- Here, that is: roles are the server's, and another database may have made it.
SELECT to_regnamespace('runs') IS NOT NULL
       AND EXISTS (SELECT 1 FROM pg_roles AS r WHERE r.rolname = 'handfast_runs') AS there;

-- name: shared_hosts
SELECT host, segments FROM runs.shared_hosts ORDER BY host;

-- name: add_shared_host
INSERT INTO runs.shared_hosts (host, segments) VALUES ($1, $2)
ON CONFLICT (host) DO UPDATE SET segments = excluded.segments;

-- name: remove_shared_host
DELETE FROM runs.shared_hosts WHERE host = $1 RETURNING host;

-- name: prune
SELECT runs.prune($1, $2) AS removed;
-- name: corpus_versions
SELECT v.version, v.state::text AS state, v.made_at, v.built_at, v.switched_at, v.left_at, v.startups,
    v.investors, v.matches, v.source, v.verdict, v.weights
FROM runs.corpus_versions AS v
WHERE $1::integer IS NULL OR v.version = $1
ORDER BY v.version DESC LIMIT $2;

-- name: current_corpus
SELECT v.version FROM runs.corpus_versions AS v WHERE v.state = 'current';

-- name: begin_corpus
SELECT runs.begin_corpus($1);

-- name: index_corpus_part
SELECT runs.index_corpus_part($1, $2);

-- name: attach_corpus
SELECT runs.attach_corpus($1);

-- name: note_weights
UPDATE runs.corpus_versions SET weights = $2 WHERE version = $1;

-- name: take_over_weights
UPDATE runs.corpus_versions AS v SET weights = o.weights
FROM runs.corpus_versions AS o WHERE v.version = $1 AND o.version = $2;

-- name: switch_corpus
SELECT outcome, was FROM runs.switch_corpus($1, $2, $3);

-- name: roll_back_corpus
SELECT version, was FROM runs.roll_back_corpus($1);

-- name: judge_corpus
SELECT runs.judge_corpus($1, $2, $3);

-- name: retire_corpus
SELECT version FROM runs.retire_corpus($1, $2, $3) AS version;

-- name: abandon_corpora
UPDATE runs.corpus_versions SET state = 'retired', verdict = '{"summary": "the build was cut off"}'
WHERE state = 'building' RETURNING version;

-- name: abandon_corpus
UPDATE runs.corpus_versions SET state = 'retired', verdict = jsonb_build_object('summary', $2::text)
WHERE state = 'building' AND version = $1;

-- name: take_corpus_lock
SELECT pg_try_advisory_xact_lock(hashtextextended('handfast.corpus.build', 0));

-- name: corpus_leftovers
-- Tables of versions that are retired, or that no row knows, with the parent they are still part of.
SELECT c.relname::text AS name, p.relname::text AS parent, coalesce(i.inhdetachpending, false) AS pending
FROM pg_class AS c
LEFT JOIN pg_inherits AS i ON i.inhrelid = c.oid
LEFT JOIN pg_class AS p ON p.oid = i.inhparent
WHERE c.relnamespace = 'runs'::regnamespace AND c.relkind = 'r'
  AND c.relname ~ '^(startup_uploads|investors|startup_investor_matches)_v[0-9]+$'
  AND NOT EXISTS (
      SELECT FROM runs.corpus_versions AS v
      WHERE v.state <> 'retired' AND v.version = substring(c.relname FROM '[0-9]+$')::numeric
  )
ORDER BY c.relname;

-- name: user_columns
-- The columns of a table or view of the user's. Ids and names may be of any type; lists and numbers
-- stay what they are.
SELECT a.attname::text AS name, quote_ident(a.attname) AS quoted,
    a.attname IN ('startup_id', 'investor_id', 'name', 'url', 'stage', 'country', 'pitch', 'thesis')
        AND c.relname <> 'startup_investor_matches'
        OR a.attname IN ('startup_id', 'investor_id') AS is_text
FROM pg_attribute AS a
JOIN pg_class AS c ON c.oid = a.attrelid
JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND c.relname = $2 AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
  AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attnum;

-- name: corpus_scores
SELECT m.score, count(*) AS pairs FROM runs.startup_investor_matches AS m
WHERE m.version = $1 GROUP BY m.score ORDER BY m.score;

-- name: corpus_uncovered
SELECT count(*) FROM runs.startup_uploads AS s
WHERE s.version = $1 AND NOT EXISTS (
    SELECT FROM runs.startup_investor_matches AS m
    WHERE m.version = $1 AND m.startup_id = s.startup_id
);

-- name: corpus_overlap
-- The sample is the same whenever it is taken: by a checksum of the ids.
WITH sample AS (
    SELECT s.startup_id FROM runs.startup_uploads AS s
    WHERE s.version = $2
      AND EXISTS (SELECT FROM runs.startup_uploads AS n WHERE n.version = $1 AND n.startup_id = s.startup_id)
    ORDER BY md5(s.startup_id) LIMIT $3
), compared AS (
    SELECT count(o.investor_id) AS had, count(n.investor_id) AS has
    FROM sample AS s
    CROSS JOIN LATERAL (
        SELECT m.investor_id FROM runs.startup_investor_matches AS m
        WHERE m.version = $2 AND m.startup_id = s.startup_id
        ORDER BY m.score DESC, m.deals DESC, m.investor_id LIMIT $4
    ) AS o
    LEFT JOIN LATERAL (
        SELECT t.investor_id FROM (
            SELECT m.investor_id FROM runs.startup_investor_matches AS m
            WHERE m.version = $1 AND m.startup_id = s.startup_id
            ORDER BY m.score DESC, m.deals DESC, m.investor_id LIMIT $4
        ) AS t WHERE t.investor_id = o.investor_id
    ) AS n ON true
    GROUP BY s.startup_id
)
SELECT count(*) AS startups, avg(c.has::double precision / c.had) AS shared FROM compared AS c;

-- name: corpus_all_visible
SELECT c.relallvisible >= c.relpages FROM pg_class AS c
WHERE c.relnamespace = 'runs'::regnamespace AND c.relname = $1;

-- name: corpus_unvacuumed
-- Tables of versions that are read, whose pages could not all be marked when they were built.
SELECT c.relname::text FROM pg_class AS c
JOIN runs.corpus_versions AS v ON v.version = substring(c.relname FROM '[0-9]+$')::numeric
WHERE c.relnamespace = 'runs'::regnamespace AND c.relkind = 'r'
  AND c.relname ~ '^(startup_uploads|investors|startup_investor_matches)_v[0-9]+$'
  AND c.relallvisible < c.relpages AND v.state IN ('built', 'current', 'previous');
