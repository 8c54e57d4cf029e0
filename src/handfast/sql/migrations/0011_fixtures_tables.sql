-- Fixtures: work that hangs on a kickoff.
--
--   fixtures.competitions    where fixtures belong; each names the pipeline that its fixtures get
--   fixtures.teams           one row per team, whatever the sources call it
--   fixtures.team_names      what the sources call it
--   fixtures.fixtures        one row per match: its kickoff, its status, its result
--   fixtures.result_changes  results that were changed after they were known
--   fixtures.pipelines       what is to happen around a kickoff, as the programs have declared it
--   fixtures.steps           the steps of each pipeline
--   fixtures.outputs         what a step has made for a fixture, and for which kickoff
--   fixtures.decisions       what planning has decided, and why
--
-- A step of a fixture is a job of the engine: key {step}-{fixture}, hung on the anchor
-- fixture-{fixture}. Whether it waits, runs or has ended is the job's state and is written nowhere
-- else.

CREATE SCHEMA IF NOT EXISTS fixtures;

COMMENT ON SCHEMA fixtures IS 'Handfast: pipelines of work that hang on a kickoff';

CREATE TYPE fixtures.status AS ENUM (
    'scheduled', 'live', 'finished', 'awarded', 'postponed', 'cancelled', 'abandoned'
);

-- --- what the sources say ---------------------------------------------------------------------

CREATE TABLE fixtures.competitions (
    id             text COLLATE "C" NOT NULL,
    name           text NOT NULL,
    zone           text,
    pipeline       text COLLATE "C" NOT NULL DEFAULT 'football',
    CONSTRAINT competitions_pkey PRIMARY KEY (id),
    CONSTRAINT competition_id_length CHECK (length(id) BETWEEN 1 AND 100)
);

COMMENT ON COLUMN fixtures.competitions.zone IS 'IANA; of local times whose source names no zone';
COMMENT ON COLUMN fixtures.competitions.pipeline IS
    'no foreign key: a competition may be stored before a program has declared its pipeline';

CREATE TABLE fixtures.teams (
    id             bigint GENERATED ALWAYS AS IDENTITY,
    name           text NOT NULL,
    CONSTRAINT teams_pkey PRIMARY KEY (id),
    CONSTRAINT team_name_once UNIQUE (name),
    CONSTRAINT team_name_length CHECK (length(name) BETWEEN 1 AND 200)
);

CREATE TABLE fixtures.team_names (
    source         text NOT NULL DEFAULT '',
    name           text NOT NULL,
    team_id        bigint NOT NULL,
    CONSTRAINT team_names_pkey PRIMARY KEY (source, name),
    CONSTRAINT team_name_team FOREIGN KEY (team_id) REFERENCES fixtures.teams (id)
);

CREATE INDEX team_names_team ON fixtures.team_names (team_id);

COMMENT ON COLUMN fixtures.team_names.source IS 'empty: what every source means by the name';

CREATE TABLE fixtures.fixtures (
    id             bigint GENERATED ALWAYS AS IDENTITY (CACHE 64),
    home_id        bigint NOT NULL,
    away_id        bigint NOT NULL,
    kickoff        timestamptz,
    result_at      timestamptz,
    closed_at      timestamptz,
    created_at     timestamptz NOT NULL,
    updated_at     timestamptz NOT NULL,
    day            date,
    status         fixtures.status NOT NULL DEFAULT 'scheduled',
    home_goals     integer,
    away_goals     integer,
    external_id    text COLLATE "C",
    competition_id text COLLATE "C" NOT NULL,
    season         text NOT NULL,
    round          text,
    kickoff_local  text,
    source         text NOT NULL,
    CONSTRAINT fixtures_pkey PRIMARY KEY (id),
    CONSTRAINT fixture_external_id UNIQUE (external_id),
    CONSTRAINT fixture_external_id_length CHECK (length(external_id) BETWEEN 1 AND 300),
    CONSTRAINT fixture_competition FOREIGN KEY (competition_id) REFERENCES fixtures.competitions (id),
    CONSTRAINT fixture_home FOREIGN KEY (home_id) REFERENCES fixtures.teams (id),
    CONSTRAINT fixture_away FOREIGN KEY (away_id) REFERENCES fixtures.teams (id),
    CONSTRAINT fixture_two_teams CHECK (home_id <> away_id),
    CONSTRAINT fixture_result_whole CHECK (
        (home_goals IS NULL) = (away_goals IS NULL) AND (home_goals IS NULL) = (result_at IS NULL)
    ),
    CONSTRAINT fixture_goals CHECK (home_goals >= 0 AND away_goals >= 0)
) WITH (fillfactor = 80);

COMMENT ON COLUMN fixtures.fixtures.external_id IS 'null: listed, never planned';
COMMENT ON COLUMN fixtures.fixtures.kickoff IS 'null: no time is known; listed, never planned';
COMMENT ON COLUMN fixtures.fixtures.kickoff_local IS 'what the source said';
COMMENT ON COLUMN fixtures.fixtures.day IS
    'the local date, which is known of many results that have no time of day';
COMMENT ON COLUMN fixtures.fixtures.result_at IS
    'when the result was surely known to the world: nothing that is made for an earlier kickoff may use it';
COMMENT ON COLUMN fixtures.fixtures.closed_at IS
    'when planning found that every step of it is over; it is not looked at again until it is moved';

-- What catch-up and the hourly repair look through: a decade of finished seasons is not in it.
CREATE INDEX fixtures_open ON fixtures.fixtures (kickoff)
    WHERE status IN ('scheduled', 'live') AND external_id IS NOT NULL AND closed_at IS NULL;
CREATE INDEX fixtures_by_kickoff ON fixtures.fixtures (kickoff, id);
CREATE INDEX fixtures_results ON fixtures.fixtures (competition_id, result_at)
    WHERE result_at IS NOT NULL;
CREATE INDEX fixtures_home ON fixtures.fixtures (home_id);
CREATE INDEX fixtures_away ON fixtures.fixtures (away_id);
-- One that has no external id is known by its place, so that reading a file again adds nothing.
CREATE UNIQUE INDEX fixture_unnamed_once ON fixtures.fixtures
    (competition_id, season, home_id, away_id, round) NULLS NOT DISTINCT
    WHERE external_id IS NULL;

CREATE TABLE fixtures.result_changes (
    id             bigint GENERATED ALWAYS AS IDENTITY,
    fixture_id     bigint NOT NULL,
    at             timestamptz NOT NULL,
    old_home       integer,
    old_away       integer,
    new_home       integer,
    new_away       integer,
    source         text NOT NULL,
    CONSTRAINT result_changes_pkey PRIMARY KEY (id),
    CONSTRAINT result_change_fixture FOREIGN KEY (fixture_id) REFERENCES fixtures.fixtures (id)
);

CREATE INDEX result_changes_fixture ON fixtures.result_changes (fixture_id);

-- --- what is to be done -----------------------------------------------------------------------

CREATE TABLE fixtures.pipelines (
    name           text COLLATE "C" NOT NULL,
    declared_at    timestamptz NOT NULL,
    CONSTRAINT pipelines_pkey PRIMARY KEY (name)
);

CREATE TABLE fixtures.steps (
    "offset"       interval NOT NULL,
    "window"       interval NOT NULL,
    over_after     interval NOT NULL DEFAULT '3 hours',
    position       integer NOT NULL,
    priority       smallint NOT NULL DEFAULT 10,
    output         boolean NOT NULL DEFAULT false,
    frozen         boolean NOT NULL DEFAULT false,
    pipeline       text COLLATE "C" NOT NULL,
    step           text COLLATE "C" NOT NULL,
    kind           text COLLATE "C" NOT NULL,
    lane           text,
    late           text NOT NULL DEFAULT 'run',
    requires       text[] NOT NULL DEFAULT '{}',
    CONSTRAINT steps_pkey PRIMARY KEY (pipeline, step),
    CONSTRAINT step_place UNIQUE (pipeline, position) DEFERRABLE INITIALLY DEFERRED,
    CONSTRAINT step_pipeline FOREIGN KEY (pipeline) REFERENCES fixtures.pipelines (name)
        ON DELETE CASCADE,
    CONSTRAINT step_name CHECK (step ~ '^[a-z][a-z0-9_-]{0,49}$'),
    CONSTRAINT step_late CHECK (late IN ('run', 'skip')),
    CONSTRAINT step_window CHECK ("window" > interval '0'),
    CONSTRAINT step_over_after_it_is_due CHECK (over_after > "offset"),
    CONSTRAINT step_priority CHECK (priority BETWEEN 1 AND 1000)
);

COMMENT ON COLUMN fixtures.steps."window" IS 'a fixture that kicks off within it must have the job';
COMMENT ON COLUMN fixtures.steps.over_after IS 'so long after kickoff the step is of no more use';
COMMENT ON COLUMN fixtures.steps.late IS
    'once the fixture is under way: run at once, or skip';
COMMENT ON COLUMN fixtures.steps.lane IS 'null: as its kind declares';
COMMENT ON COLUMN fixtures.steps.output IS
    'it leaves a row in fixtures.outputs; a job that succeeded without one is a gap';
COMMENT ON COLUMN fixtures.steps.frozen IS 'what it has made is never changed once the fixture has begun';

-- --- what was made, and decided ---------------------------------------------------------------

CREATE TABLE fixtures.outputs (
    fixture_id     bigint NOT NULL,
    kickoff        timestamptz,
    made_at        timestamptz NOT NULL,
    late           boolean NOT NULL DEFAULT false,
    retroactive    boolean NOT NULL DEFAULT false,
    step           text COLLATE "C" NOT NULL,
    model          text,
    data_version   text,
    document       jsonb NOT NULL,
    CONSTRAINT outputs_pkey PRIMARY KEY (fixture_id, step),
    CONSTRAINT output_fixture FOREIGN KEY (fixture_id) REFERENCES fixtures.fixtures (id)
);

COMMENT ON COLUMN fixtures.outputs.kickoff IS
    'the kickoff that it was made for; stale, and a gap, once the fixture has another one';
COMMENT ON COLUMN fixtures.outputs.late IS 'made while the fixture was under way';
COMMENT ON COLUMN fixtures.outputs.retroactive IS 'made afterwards, from what was known before';

-- A frozen step's output (a prediction) stays what it was when the fixture began, whoever asks. One
-- that was made for another kickoff is not an answer for this one, and may be replaced.
CREATE FUNCTION fixtures.keep_frozen() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT 1 FROM fixtures.fixtures AS f
        JOIN fixtures.competitions AS c ON c.id = f.competition_id
        JOIN fixtures.steps AS s ON s.pipeline = c.pipeline AND s.step = OLD.step
        WHERE f.id = OLD.fixture_id AND s.frozen
          AND f.kickoff <= db.now() AND f.kickoff IS NOT DISTINCT FROM OLD.kickoff
    ) THEN
        RAISE EXCEPTION '% of fixture % was frozen at kickoff', OLD.step, OLD.fixture_id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'output_frozen', TABLE = TG_TABLE_NAME,
                  SCHEMA = TG_TABLE_SCHEMA;
    END IF;
    RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
END
$$;

CREATE TRIGGER outputs_frozen BEFORE UPDATE OR DELETE ON fixtures.outputs FOR EACH ROW
EXECUTE FUNCTION fixtures.keep_frozen();

CREATE TABLE fixtures.decisions (
    -- Not cached: of one fixture's decisions, the last one has the highest id, whoever made it.
    id             bigint GENERATED ALWAYS AS IDENTITY,
    fixture_id     bigint NOT NULL,
    at             timestamptz NOT NULL,
    due_at         timestamptz,
    step           text COLLATE "C",
    decision       text NOT NULL,
    reason         text NOT NULL,
    CONSTRAINT decisions_pkey PRIMARY KEY (id),
    CONSTRAINT decision_word CHECK (
        decision IN ('planned', 'moved', 'skipped', 'cancelled', 'revived')
    )
);

CREATE INDEX decisions_fixture ON fixtures.decisions (fixture_id, id);

COMMENT ON COLUMN fixtures.decisions.step IS 'null: of the fixture as a whole';
