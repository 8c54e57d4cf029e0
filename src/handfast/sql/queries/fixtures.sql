-- Statements of the fixtures. What must be atomic is a function; these are how Python calls them.

-- --- what was known before a kickoff ----------------------------------------------------------

-- name: match
SELECT f.id, f.competition_id,
       coalesce(f.kickoff, f.day::timestamp AT TIME ZONE coalesce(c.zone, 'UTC')) AS begins,
       f.home_id, f.away_id, h.name AS home_name, a.name AS away_name, f.kickoff
FROM fixtures.fixtures AS f
JOIN fixtures.competitions AS c ON c.id = f.competition_id
JOIN fixtures.teams AS h ON h.id = f.home_id
JOIN fixtures.teams AS a ON a.id = f.away_id
WHERE f.id = $1;

-- A result that was changed since is the one that was known then. One that was awarded says nothing
-- of how anybody plays.
-- name: known_results
SELECT f.id, f.competition_id,
       coalesce(f.kickoff, f.day::timestamp AT TIME ZONE coalesce(c.zone, 'UTC'), f.result_at) AS kickoff,
       f.result_at, f.home_id, f.away_id,
       coalesce(r.old_home, f.home_goals) AS home_goals,
       coalesce(r.old_away, f.away_goals) AS away_goals
FROM fixtures.fixtures AS f
JOIN fixtures.competitions AS c ON c.id = f.competition_id
LEFT JOIN (
    SELECT DISTINCT ON (fixture_id) fixture_id, old_home, old_away FROM fixtures.result_changes
    WHERE at > $1 AND old_home IS NOT NULL
    ORDER BY fixture_id, at, id
) AS r ON r.fixture_id = f.id
WHERE f.status = 'finished' AND f.result_at > $1::timestamptz - $4::interval AND f.result_at <= $1
  AND (f.competition_id = $2 OR f.home_id = ANY ($3::bigint[]) OR f.away_id = ANY ($3::bigint[]));

-- name: team_names
SELECT id, name FROM fixtures.teams WHERE id = ANY ($1::bigint[]);

-- --- what steps make --------------------------------------------------------------------------

-- name: put_output
SELECT fixtures.put_output($1, $2, $3, $4::jsonb, $5, $6, $7) AS stored;

-- name: output_document
SELECT o.document FROM fixtures.outputs AS o WHERE o.fixture_id = $1 AND o.step = $2;

-- --- looking back -----------------------------------------------------------------------------

-- What lacks something that a built-in step makes, once it is over. Of a fixture that has only a
-- day, nothing of that day may be known. $1 to $2 is the window, ($3, $4) where we are in it.
-- name: missing
SELECT f.id, f.competition_id, b.begins, f.home_id, f.away_id, h.name AS home_name,
       a.name AS away_name, f.kickoff, m.steps, m.kinds
FROM fixtures.fixtures AS f
JOIN fixtures.competitions AS c ON c.id = f.competition_id
JOIN fixtures.teams AS h ON h.id = f.home_id
JOIN fixtures.teams AS a ON a.id = f.away_id
CROSS JOIN LATERAL (
    SELECT coalesce(f.kickoff, f.day::timestamp AT TIME ZONE coalesce(c.zone, 'UTC')) AS begins
) AS b
CROSS JOIN LATERAL (
    SELECT array_agg(s.step ORDER BY s.position) AS steps,
           array_agg(s.kind ORDER BY s.position) AS kinds
    FROM fixtures.steps AS s
    WHERE s.pipeline = c.pipeline AND s.kind = ANY ($5::text[])
      AND (
          f.status IN ('finished', 'awarded', 'abandoned')
          OR coalesce(f.kickoff, b.begins + interval '1 day') + s.over_after <= db.now()
      )
      AND NOT EXISTS (
          SELECT 1 FROM fixtures.outputs AS o
          WHERE o.fixture_id = f.id AND o.step = s.step AND o.kickoff IS NOT DISTINCT FROM f.kickoff
      )
) AS m
WHERE f.status NOT IN ('postponed', 'cancelled') AND m.steps IS NOT NULL
  AND ($7::text IS NULL OR f.competition_id = $7)
  AND (
      f.kickoff >= greatest($1::timestamptz, $3::timestamptz) AND f.kickoff < $2
      OR f.kickoff IS NULL AND f.day BETWEEN $1::date - 1 AND $2::date + 1
  )
  AND b.begins >= $1 AND b.begins < $2 AND (b.begins, f.id) > ($3::timestamptz, $4::bigint)
ORDER BY b.begins, f.id
LIMIT $6;

-- What somebody else has made meanwhile stays, if it is for the kickoff that the fixture has.
-- name: put_missing
INSERT INTO fixtures.outputs AS o (
    fixture_id, step, kickoff, made_at, late, retroactive, model, data_version, document
)
SELECT m.fixture_id, m.step, m.kickoff, db.now(), false, true, m.model, m.data_version,
       m.document::jsonb
FROM unnest(
    $1::bigint[], $2::text[], $3::timestamptz[], $4::text[], $5::text[], $6::text[]
) AS m (fixture_id, step, kickoff, model, data_version, document)
ORDER BY m.fixture_id, m.step
ON CONFLICT (fixture_id, step) DO UPDATE
SET kickoff = excluded.kickoff, made_at = excluded.made_at, late = excluded.late,
    retroactive = excluded.retroactive, model = excluded.model,
    data_version = excluded.data_version, document = excluded.document
WHERE o.kickoff IS DISTINCT FROM excluded.kickoff
RETURNING o.step;

-- name: predictions_ended
SELECT f.id, f.competition_id, f.season, f.home_goals, f.away_goals,
       (o.document #>> '{outcome,home}')::float8 AS home,
       (o.document #>> '{outcome,draw}')::float8 AS draw,
       (o.document #>> '{outcome,away}')::float8 AS away,
       o.late, o.retroactive, coalesce(o.model, '') AS model
FROM fixtures.fixtures AS f
JOIN fixtures.competitions AS c ON c.id = f.competition_id
JOIN fixtures.steps AS s ON s.pipeline = c.pipeline AND s.kind = $1
JOIN fixtures.outputs AS o ON o.fixture_id = f.id AND o.step = s.step
    AND o.kickoff IS NOT DISTINCT FROM f.kickoff
CROSS JOIN LATERAL (
    SELECT coalesce(f.kickoff, f.day::timestamp AT TIME ZONE coalesce(c.zone, 'UTC')) AS begins
) AS b
WHERE f.status = 'finished' AND f.home_goals IS NOT NULL
  AND ($2::text IS NULL OR f.competition_id = $2)
  AND ($3::timestamptz IS NULL OR b.begins >= $3) AND ($4::timestamptz IS NULL OR b.begins < $4)
  AND o.document ? 'outcome'
ORDER BY b.begins, f.id;
