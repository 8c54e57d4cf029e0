-- --- planning ---------------------------------------------------------------------------------

-- name: declare_pipelines
SELECT fixtures.declare_pipelines($1::jsonb);

-- name: upsert_competitions
INSERT INTO fixtures.competitions AS c (id, name, zone)
SELECT n.id, coalesce(n.name, n.id), n.zone
FROM unnest($1::text[], $2::text[], $3::text[]) AS n (id, name, zone)
ORDER BY n.id
ON CONFLICT (id) DO UPDATE
SET name = CASE WHEN excluded.name = excluded.id THEN c.name ELSE excluded.name END,
    zone = coalesce(excluded.zone, c.zone)
WHERE coalesce(excluded.zone, c.zone) IS DISTINCT FROM c.zone
   OR excluded.name NOT IN (c.name, excluded.id);

-- name: assign_pipeline
UPDATE fixtures.competitions AS c SET pipeline = $2 WHERE c.id = $1 RETURNING c.id;

-- name: team_ids
SELECT source, name, team_id, created FROM fixtures.team_ids($1::text[], $2::text[]);

-- name: upsert
SELECT ordinal, fixture_id, outcome, moved_from, cancelled, reinstated, result, result_changed
FROM fixtures.upsert(
    $1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::timestamptz[],
    $8::text[], $9::date[], $10::text[], $11::integer[], $12::integer[], $13::text[]
);

-- name: plan
SELECT fixtures, open, planned, moved, revived, skipped, cancelled, waiting, undeclared
FROM fixtures.plan($1::bigint[], $2::interval);

-- name: escalate_all
-- What was enqueued before a downtime is as urgent as its deadline is near now.
SELECT engine.escalate(1000000);

-- --- looking ----------------------------------------------------------------------------------

-- name: list_timed
SELECT f.id, f.external_id, f.competition_id AS competition, c.name AS competition_name, f.season,
       f.round, h.name AS home, a.name AS away, f.kickoff, f.kickoff_local, f.day,
       f.status::text AS status, f.home_goals, f.away_goals
FROM fixtures.fixtures AS f
JOIN fixtures.competitions AS c ON c.id = f.competition_id
JOIN fixtures.teams AS h ON h.id = f.home_id
JOIN fixtures.teams AS a ON a.id = f.away_id
WHERE (f.kickoff, f.id) > ($1::timestamptz, $2::bigint)
  AND ($3::timestamptz IS NULL OR f.kickoff >= $3)
  AND ($4::timestamptz IS NULL OR f.kickoff < $4)
  AND ($5::text IS NULL OR f.competition_id = $5)
  AND ($6::text IS NULL OR f.season = $6)
  AND ($7::text IS NULL OR f.status = $7::fixtures.status)
  AND ($8::bigint IS NULL OR f.home_id = $8 OR f.away_id = $8)
ORDER BY f.kickoff, f.id LIMIT $9;

-- name: list_untimed
SELECT f.id, f.external_id, f.competition_id AS competition, c.name AS competition_name, f.season,
       f.round, h.name AS home, a.name AS away, f.kickoff, f.kickoff_local, f.day,
       f.status::text AS status, f.home_goals, f.away_goals
FROM fixtures.fixtures AS f
JOIN fixtures.competitions AS c ON c.id = f.competition_id
JOIN fixtures.teams AS h ON h.id = f.home_id
JOIN fixtures.teams AS a ON a.id = f.away_id
WHERE f.kickoff IS NULL AND f.id > $1
  AND ($2::text IS NULL OR f.competition_id = $2)
  AND ($3::text IS NULL OR f.season = $3)
  AND ($4::text IS NULL OR f.status = $4::fixtures.status)
  AND ($5::bigint IS NULL OR f.home_id = $5 OR f.away_id = $5)
ORDER BY f.id LIMIT $6;

-- name: fixture
SELECT f.id, f.external_id, f.competition_id AS competition, c.name AS competition_name, f.season,
       f.round, h.name AS home, a.name AS away, f.kickoff, f.kickoff_local, f.day,
       f.status::text AS status, f.home_goals, f.away_goals, f.result_at, f.source, c.pipeline,
       c.zone, f.created_at, f.updated_at
FROM fixtures.fixtures AS f
JOIN fixtures.competitions AS c ON c.id = f.competition_id
JOIN fixtures.teams AS h ON h.id = f.home_id
JOIN fixtures.teams AS a ON a.id = f.away_id
WHERE f.id = $1;

-- name: fixture_named
SELECT f.id FROM fixtures.fixtures AS f WHERE f.external_id = $1;

-- name: steps_of
-- In the order of the pipeline. A job that has ended has no due time of its own any more: what the
-- anchor and the offset say is when it was due.
SELECT f.id AS fixture, s.step, s.kind, j.id AS job_id,
       coalesce(j.state, l.state)::text AS state,
       coalesce(l.due_at, f.kickoff + s."offset") AS due_at, l.priority, j.finished_at, l.reason,
       o.made_at, o.kickoff AS made_for, coalesce(o.late, false) AS late,
       coalesce(o.retroactive, false) AS retroactive, o.model, o.data_version
FROM unnest($1::bigint[]) AS wanted (id)
JOIN fixtures.fixtures AS f ON f.id = wanted.id
JOIN fixtures.competitions AS c ON c.id = f.competition_id
JOIN fixtures.steps AS s ON s.pipeline = c.pipeline
LEFT JOIN engine.jobs AS j ON j.kind = s.kind AND j.key = s.step || '-' || f.id
LEFT JOIN engine.live AS l ON l.id = j.id
LEFT JOIN fixtures.outputs AS o ON o.fixture_id = f.id AND o.step = s.step
ORDER BY f.id, s.position;

-- name: documents_of
SELECT o.step, o.document FROM fixtures.outputs AS o WHERE o.fixture_id = $1 ORDER BY o.step;

-- name: decisions_of
SELECT d.at, d.step, d.decision, d.reason, d.due_at
FROM fixtures.decisions AS d WHERE d.fixture_id = $1 ORDER BY d.id DESC LIMIT $2;

-- name: result_changes_of
SELECT r.at, r.old_home, r.old_away, r.new_home, r.new_away, r.source
FROM fixtures.result_changes AS r WHERE r.fixture_id = $1 ORDER BY r.id;

-- name: team_called
-- A team by its name, or by what any source calls it.
SELECT t.id FROM fixtures.teams AS t WHERE t.name = $1
UNION ALL
SELECT n.team_id FROM fixtures.team_names AS n WHERE n.name = $1
LIMIT 1;

-- name: zones_known
SELECT c.id, c.zone FROM fixtures.competitions AS c WHERE c.zone IS NOT NULL;

-- name: names_known
SELECT n.source, n.name, t.name AS team
FROM fixtures.team_names AS n JOIN fixtures.teams AS t ON t.id = n.team_id
WHERE n.name <> t.name;

-- --- what steps make --------------------------------------------------------------------------

-- name: put_output
SELECT fixtures.put_output($1, $2, $3, $4::jsonb, $5, $6, $7) AS stored;

-- name: output_document
SELECT o.document FROM fixtures.outputs AS o WHERE o.fixture_id = $1 AND o.step = $2;

-- name: match_of
SELECT f.id, f.external_id, f.competition_id AS competition, f.season, h.name AS home,
       a.name AS away, f.kickoff
FROM fixtures.fixtures AS f
JOIN fixtures.teams AS h ON h.id = f.home_id
JOIN fixtures.teams AS a ON a.id = f.away_id
WHERE f.id = $1;

-- --- names ------------------------------------------------------------------------------------

-- name: declare_alias
SELECT team_id, team, declared, moved, twice FROM fixtures.declare_alias($1, $2, $3);
