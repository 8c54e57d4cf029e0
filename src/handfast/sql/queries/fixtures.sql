-- --- planning ---------------------------------------------------------------------------------

-- name: declare_pipelines
SELECT fixtures.declare_pipelines($1::jsonb, $2);

-- name: revisions
SELECT p.name, p.revision FROM fixtures.pipelines AS p WHERE p.name = ANY ($1::text[]);

-- A zone that is known stays: what changes it moves kickoffs, and is a command of its own.
-- name: upsert_competitions
INSERT INTO fixtures.competitions AS c (id, name, zone)
SELECT n.id, coalesce(n.name, n.id), n.zone
FROM unnest($1::text[], $2::text[], $3::text[]) AS n (id, name, zone)
ORDER BY n.id
ON CONFLICT (id) DO UPDATE
SET name = CASE WHEN excluded.name = excluded.id THEN c.name ELSE excluded.name END,
    zone = coalesce(c.zone, excluded.zone)
WHERE c.zone IS NULL AND excluded.zone IS NOT NULL
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

-- name: reading_known
-- If nobody has written its fixtures since; open are those of which a step may still be to come.
SELECT r.told, ARRAY(
           SELECT f.id FROM fixtures.fixtures AS f
           WHERE f.id = ANY (r.fixtures) AND f.status IN ('scheduled', 'live') AND f.closed_at IS NULL
             AND f.kickoff IS NOT NULL
       ) AS open
FROM fixtures.readings AS r
WHERE r.digest = $1 AND r.read_at > db.now() - $2::interval
  AND r.stamp = fixtures.stamp_of(r.fixtures);

-- name: remember_reading
INSERT INTO fixtures.readings AS r (digest, read_at, fixtures, stamp, told)
VALUES ($1, db.now(), $2::bigint[], fixtures.stamp_of($2), $3::jsonb)
ON CONFLICT (digest) DO UPDATE
SET read_at = excluded.read_at, fixtures = excluded.fixtures, stamp = excluded.stamp,
    told = excluded.told;

-- name: forget_readings
DELETE FROM fixtures.readings AS r WHERE r.digest IN (
    SELECT o.digest FROM fixtures.readings AS o WHERE o.read_at <= db.now() - $1::interval
    LIMIT 1000 FOR UPDATE SKIP LOCKED
);

-- name: hold_meetings
-- In the order of the locks themselves, which two names may share.
SELECT pg_advisory_xact_lock(h.lock) FROM (
    SELECT DISTINCT hashtextextended('fixtures.meetings:' || n.name, 0) AS lock
    FROM unnest($1::text[]) AS n (name) ORDER BY 1
) AS h;

-- name: meetings
-- What is stored under these made ids, and under those that end in which meeting it is.
SELECT p.pair, f.external_id, f.round,
       coalesce(f.kickoff, (f.day + time '12:00') AT TIME ZONE 'UTC') AS begins,
       coalesce(f.kickoff <= db.now(), f.day < db.now()::date, false) AS begun,
       f.result_at IS NOT NULL OR f.status IN ('finished', 'awarded') AS played,
       f.status::text AS status
FROM unnest($1::text[]) AS p (pair)
CROSS JOIN LATERAL (
    SELECT e.* FROM fixtures.fixtures AS e WHERE e.external_id = p.pair COLLATE "C"
    UNION ALL
    SELECT e.* FROM fixtures.fixtures AS e
    WHERE e.external_id > (p.pair || ':') COLLATE "C" AND e.external_id < (p.pair || ';') COLLATE "C"
      AND substr(e.external_id, length(p.pair) + 2) ~ '^[0-9]+$'
) AS f
ORDER BY p.pair, length(f.external_id), f.external_id;

-- name: hold_zones
-- As one who declares an alias: whoever reads matches has stored them, or reads by what we leave.
SELECT pg_advisory_xact_lock_shared(hashtext('fixtures.pipelines')),
       pg_advisory_xact_lock(hashtext('fixtures.team_names'));

-- name: zone_of
SELECT c.id AS competition, c.zone FROM fixtures.competitions AS c WHERE c.id = $1;

-- name: set_zone
UPDATE fixtures.competitions AS c SET zone = $2 WHERE c.id = $1;

-- name: said_in_zone
-- What was said as a local time of this zone: `2026-08-15 15:00 Europe/London`.
SELECT f.id AS fixture, f.external_id, f.season, f.round, h.name AS home, a.name AS away, f.kickoff,
       f.kickoff_local, f.status::text AS status, f.home_goals, f.away_goals,
       f.kickoff <= db.now() AS begun
FROM fixtures.fixtures AS f
JOIN fixtures.teams AS h ON h.id = f.home_id
JOIN fixtures.teams AS a ON a.id = f.away_id
WHERE f.competition_id = $1 AND f.kickoff IS NOT NULL 
  AND right(f.kickoff_local, length($2::text) + 1) = ' ' || $2
ORDER BY f.kickoff, f.id;

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
-- anchor and the offset say is when it was due. What was skipped may never have had a job.
SELECT s.step, s.kind, j.id AS job_id,
       coalesce(j.state::text, l.state::text, d.decision) AS state,
       coalesce(l.due_at, f.kickoff + s."offset") AS due_at, l.priority, j.finished_at,
       coalesce(l.reason, d.reason) AS reason,
       o.made_at, coalesce(o.late, false) AS late, coalesce(o.retroactive, false) AS retroactive,
       o.model, o.data_version,
       o.made_at IS NOT NULL AND o.kickoff IS NOT DISTINCT FROM f.kickoff AS current,
       f.id AS fixture
FROM unnest($1::bigint[]) AS wanted (id)
JOIN fixtures.fixtures AS f ON f.id = wanted.id
JOIN fixtures.competitions AS c ON c.id = f.competition_id
JOIN fixtures.steps AS s ON s.pipeline = c.pipeline
LEFT JOIN engine.jobs AS j ON j.kind = s.kind AND j.key = s.step || '-' || f.id
LEFT JOIN engine.live AS l ON l.id = j.id
LEFT JOIN fixtures.outputs AS o ON o.fixture_id = f.id AND o.step = s.step
LEFT JOIN LATERAL (
    SELECT e.decision, e.reason FROM fixtures.decisions AS e
    WHERE e.fixture_id = f.id AND e.step = s.step AND e.decision = 'skipped'
      AND e.due_at = f.kickoff + s."offset" AND (j.id IS NULL OR j.state = 'skipped')
    ORDER BY e.id DESC LIMIT 1
) AS d ON true
ORDER BY f.id, s.position;

-- name: documents_of
SELECT o.step, o.document FROM fixtures.outputs AS o WHERE o.fixture_id = $1 ORDER BY o.step;

-- name: decisions_of
SELECT d.at, d.step, d.decision, d.reason, d.due_at
FROM fixtures.decisions AS d WHERE d.fixture_id = $1 ORDER BY d.id DESC LIMIT $2;

-- name: result_changes_of
SELECT r.at, r.old_home, r.old_away, r.new_home, r.new_away, r.source
FROM fixtures.result_changes AS r
WHERE r.fixture_id = $1 AND (r.old_home, r.old_away) IS DISTINCT FROM (r.new_home, r.new_away)
ORDER BY r.id;

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

-- name: kickoff_held
-- Whoever moves it waits until what was made for it is kept.
SELECT f.kickoff, db.now() AS now FROM fixtures.fixtures AS f WHERE f.id = $1 FOR SHARE;

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

-- name: hold_names
SELECT pg_advisory_xact_lock_shared(hashtext('fixtures.team_names'));

-- name: declare_alias
SELECT team_id, team, declared, moved, twice, kept FROM fixtures.declare_alias($1, $2, $3);

-- --- what was known before a kickoff ----------------------------------------------------------

-- name: match
SELECT f.id AS fixture, f.competition_id AS competition,
       coalesce(f.kickoff, f.day::timestamp AT TIME ZONE coalesce(c.zone, 'UTC')) AS kickoff,
       f.home_id AS home, f.away_id AS away, h.name AS home_name, a.name AS away_name,
       f.kickoff AS stored_kickoff
FROM fixtures.fixtures AS f
JOIN fixtures.competitions AS c ON c.id = f.competition_id
JOIN fixtures.teams AS h ON h.id = f.home_id
JOIN fixtures.teams AS a ON a.id = f.away_id
WHERE f.id = $1;

-- A result that was changed since, awarded or taken back, is the one that was known then. One that
-- had been awarded by then says nothing of how anybody plays.
-- name: known_results
WITH changed AS MATERIALIZED (  -- what was known until the first change after it
    SELECT DISTINCT ON (r.fixture_id) r.fixture_id, r.old_home, r.old_away,
           coalesce(r.old_status, 'finished') AS status, r.old_result_at
    FROM fixtures.result_changes AS r
    WHERE r.at > $1 AND r.old_home IS NOT NULL
    ORDER BY r.fixture_id, r.at, r.id
), known AS (
    SELECT f.id, f.result_at, f.home_goals, f.away_goals FROM fixtures.fixtures AS f
    WHERE f.status = 'finished' AND f.result_at > $1::timestamptz - $4::interval
      AND f.result_at <= $1 AND NOT EXISTS (SELECT 1 FROM changed AS r WHERE r.fixture_id = f.id)
      AND (f.competition_id = $2 OR f.home_id = ANY ($3::bigint[]) OR f.away_id = ANY ($3::bigint[]))
    UNION ALL
    SELECT f.id, k.result_at, r.old_home, r.old_away
    FROM changed AS r JOIN fixtures.fixtures AS f ON f.id = r.fixture_id
    CROSS JOIN LATERAL (SELECT coalesce(r.old_result_at, f.result_at) AS result_at) AS k
    WHERE r.status = 'finished' AND k.result_at > $1::timestamptz - $4::interval
      AND k.result_at <= $1
      AND (f.competition_id = $2 OR f.home_id = ANY ($3::bigint[]) OR f.away_id = ANY ($3::bigint[]))
)
-- One that is to be played again has another kickoff now than when its result was known.
SELECT f.id AS fixture, f.competition_id AS competition,
       coalesce(
           f.kickoff - greatest(f.kickoff - k.result_at + interval '2 hours', interval '0'),
           f.day::timestamp AT TIME ZONE coalesce(c.zone, 'UTC'), k.result_at
       ) AS kickoff,
       k.result_at AS known_at, f.home_id AS home, f.away_id AS away, k.home_goals, k.away_goals
FROM known AS k
JOIN fixtures.fixtures AS f ON f.id = k.id
JOIN fixtures.competitions AS c ON c.id = f.competition_id;

-- name: team_names
SELECT id, name FROM fixtures.teams WHERE id = ANY ($1::bigint[]);

-- --- looking back -----------------------------------------------------------------------------

-- name: is_declared
SELECT EXISTS (SELECT 1 FROM fixtures.pipelines AS p WHERE p.name = $1) AS declared;

-- What lacks something that a built-in step makes, once it is over. Of a fixture that has only a
-- day, nothing of that day may be known. $1 to $2 is the window, ($3, $4) where we are in it.
-- name: missing
SELECT f.id AS fixture, f.competition_id AS competition, b.begins AS kickoff, f.home_id AS home,
       f.away_id AS away, h.name AS home_name, a.name AS away_name, f.kickoff AS stored_kickoff,
       m.steps, m.kinds
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
SELECT f.id AS fixture, f.competition_id AS competition, f.season, f.home_goals, f.away_goals,
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
