-- Match runs, and the corpus that they read.
--
--   runs.corpus_versions            one row per version of the corpus; at most one is current
--   runs.startup_uploads            the startups of each version
--   runs.investors                  the investors of each version
--   runs.startup_investor_matches   the scored pairs of each version
--   runs.aliases                    old addresses of startups
--   runs.shared_hosts               hosts that carry many companies, told apart by path
--   runs.records                    one row per run; what a person sees is the view runs.match_runs
--   runs.steps                      when each step of a run began and ended
--
-- A version is whole: it has startups, investors and matches of its own, each a partition, and no
-- row of it changes once readers were switched to it. So a run that names its version always finds
-- the same answer, and throwing a version away is dropping three tables.
--
-- A run is a job of the engine (kind runs.match, key run_id). Whether it waits or runs is the job's
-- state and is written nowhere else; only how it ended is ours.

CREATE SCHEMA IF NOT EXISTS runs;

CREATE TYPE runs.match_run_status AS ENUM ('created', 'queued', 'processing', 'ready', 'error');
CREATE TYPE runs.match_run_step AS ENUM ('resolve', 'extract', 'parse', 'match', 'rank', 'finalize');
CREATE TYPE runs.corpus_state AS ENUM ('building', 'built', 'refused', 'current', 'previous', 'retired');

CREATE TABLE runs.corpus_versions (
    version        integer GENERATED ALWAYS AS IDENTITY,
    state          runs.corpus_state NOT NULL DEFAULT 'building',
    made_at        timestamptz NOT NULL,
    built_at       timestamptz,
    switched_at    timestamptz,
    left_at        timestamptz,
    startups       bigint,
    investors      bigint,
    matches        bigint,
    source         text NOT NULL,
    verdict        jsonb,
    CONSTRAINT corpus_versions_pkey PRIMARY KEY (version),
    CONSTRAINT corpus_built_knows_its_size CHECK (
        state = 'building' OR state = 'retired'
        OR (built_at IS NOT NULL AND startups IS NOT NULL AND investors IS NOT NULL AND matches IS NOT NULL)
    ),
    CONSTRAINT corpus_current_was_switched CHECK (state <> 'current' OR switched_at IS NOT NULL)
);

CREATE UNIQUE INDEX corpus_current ON runs.corpus_versions ((true)) WHERE state = 'current';

COMMENT ON COLUMN runs.corpus_versions.verdict IS 'what the guardian found, check by check';
COMMENT ON COLUMN runs.corpus_versions.left_at IS 'when readers were switched away from it';

CREATE TABLE runs.startup_uploads (
    version        integer NOT NULL,
    raising        bigint,
    startup_id     text COLLATE "C" NOT NULL,
    name           text NOT NULL,
    url            text NOT NULL,
    canonical_url  text COLLATE "C" NOT NULL,
    stage          text,
    country        text,
    sectors        text[] NOT NULL DEFAULT '{}',
    pitch          text NOT NULL DEFAULT '',
    CONSTRAINT startup_uploads_pkey PRIMARY KEY (version, startup_id),
    CONSTRAINT startup_url_once UNIQUE (version, canonical_url),
    CONSTRAINT startup_raising CHECK (raising >= 0)
) PARTITION BY LIST (version);

COMMENT ON COLUMN runs.startup_uploads.raising IS 'whole US dollars';

CREATE TABLE runs.investors (
    version        integer NOT NULL,
    cheque_min     bigint,
    cheque_max     bigint,
    investor_id    text COLLATE "C" NOT NULL,
    name           text NOT NULL,
    url            text,
    stages         text[] NOT NULL DEFAULT '{}',
    countries      text[] NOT NULL DEFAULT '{}',
    sectors        text[] NOT NULL DEFAULT '{}',
    thesis         text NOT NULL DEFAULT '',
    CONSTRAINT investors_pkey PRIMARY KEY (version, investor_id),
    CONSTRAINT investor_cheque CHECK (cheque_min >= 0 AND cheque_max >= cheque_min)
) PARTITION BY LIST (version);

-- Scores are whole numbers, so that equal means equal on every machine. The five parts are what a
-- match is explained with.
CREATE TABLE runs.startup_investor_matches (
    version        integer NOT NULL,
    score          smallint NOT NULL,
    sector         smallint NOT NULL,
    stage          smallint NOT NULL,
    geography      smallint NOT NULL,
    cheque         smallint NOT NULL,
    thesis         smallint NOT NULL,
    startup_id     text COLLATE "C" NOT NULL,
    investor_id    text COLLATE "C" NOT NULL,
    CONSTRAINT startup_investor_matches_pkey PRIMARY KEY (version, startup_id, investor_id),
    CONSTRAINT match_score CHECK (score BETWEEN 0 AND 1000)
) PARTITION BY LIST (version);

COMMENT ON COLUMN runs.startup_investor_matches.score IS 'from 0 to 1000';
COMMENT ON COLUMN runs.startup_investor_matches.sector IS
    'how well this signal agrees, from 0 to 100; -1 where one side says nothing of it';

-- Everything that the top 200 of a startup need, in their order.
CREATE INDEX startup_investor_matches_top ON runs.startup_investor_matches
    (version, startup_id, score DESC, investor_id) INCLUDE (sector, stage, geography, cheque, thesis);

CREATE TABLE runs.aliases (
    canonical_url  text COLLATE "C" NOT NULL,
    target         text COLLATE "C" NOT NULL,
    noted_at       timestamptz NOT NULL,
    CONSTRAINT aliases_pkey PRIMARY KEY (canonical_url),
    CONSTRAINT alias_elsewhere CHECK (canonical_url <> target)
);

COMMENT ON TABLE runs.aliases IS 'old addresses: a run of canonical_url is a run of target';

CREATE TABLE runs.shared_hosts (
    host           text COLLATE "C" NOT NULL,
    segments       smallint NOT NULL,
    CONSTRAINT shared_hosts_pkey PRIMARY KEY (host),
    CONSTRAINT shared_host_segments CHECK (segments BETWEEN 1 AND 4)
);

COMMENT ON COLUMN runs.shared_hosts.segments IS
    'how many segments of the path name the company: 1 for github.com/acme, 2 for linkedin.com/company/acme';

CREATE TABLE runs.records (
    run_id         uuid NOT NULL,
    job_id         bigint NOT NULL,
    corpus_version integer,
    match_count    integer,
    created_at     timestamptz NOT NULL,
    updated_at     timestamptz NOT NULL,
    ended_at       timestamptz,
    ended          runs.match_run_status,
    step           runs.match_run_step NOT NULL DEFAULT 'resolve',
    startup_id     text COLLATE "C",
    input_url      text NOT NULL,
    canonical_url  text COLLATE "C" NOT NULL,
    error_code     text,
    error_message  text,
    locked_by      text,
    CONSTRAINT records_pkey PRIMARY KEY (run_id),
    CONSTRAINT run_job UNIQUE (job_id),
    CONSTRAINT run_version FOREIGN KEY (corpus_version) REFERENCES runs.corpus_versions (version),
    CONSTRAINT run_ended CHECK (ended IN ('ready', 'error')),
    CONSTRAINT run_ended_once CHECK ((ended IS NULL) = (ended_at IS NULL)),
    CONSTRAINT run_error_has_a_code CHECK ((ended IS NOT DISTINCT FROM 'error') = (error_code IS NOT NULL)),
    CONSTRAINT run_ready_is_whole CHECK (
        ended IS DISTINCT FROM 'ready'
        OR (startup_id IS NOT NULL AND match_count IS NOT NULL AND corpus_version IS NOT NULL)
    )
) WITH (fillfactor = 70);  -- its steps are noted in place, beside the indexes: none of them has updated_at

COMMENT ON COLUMN runs.records.locked_by IS
    'the name that a SQL client claimed it with; a worker of ours is in engine.workers';

-- Created, queued and processing are the states of a run that has not ended: twenty clicks, one row.
CREATE UNIQUE INDEX run_active_once ON runs.records (canonical_url) WHERE ended IS NULL;
CREATE INDEX runs_ready_by_url ON runs.records (canonical_url, ended_at DESC) WHERE ended = 'ready';
CREATE INDEX runs_by_time ON runs.records (created_at DESC, run_id);

CREATE TABLE runs.steps (
    run_id         uuid NOT NULL,
    began_at       timestamptz NOT NULL,
    ended_at       timestamptz,
    token          bigint NOT NULL,
    step           runs.match_run_step NOT NULL,
    CONSTRAINT steps_pkey PRIMARY KEY (run_id, token, step),
    CONSTRAINT step_run FOREIGN KEY (run_id) REFERENCES runs.records (run_id) ON DELETE CASCADE
);
