-- Match runs, and the corpus that they read.
--
--   handfast_runs.corpus_versions            one row per version of the corpus; at most one is current
--   handfast_runs.startup_uploads            the startups of each version
--   handfast_runs.investors                  the investors of each version
--   handfast_runs.startup_investor_matches   the scored pairs of each version
--   handfast_runs.aliases                    old addresses of startups
--   handfast_runs.shared_hosts               hosts that carry many companies, told apart by path or by name
--   handfast_runs.records                    one row per run; what a person sees is the view handfast_runs.match_runs
--   handfast_runs.steps                      when each step of a run began and ended
--
-- A version is whole: it has startups, investors and matches of its own, each a partition, and no
-- row of it changes once readers were switched to it. So a run that names its version always finds
-- the same answer, and throwing a version away is dropping three tables.
--
-- A run is a job of the engine (kind runs.match, key run_id). Whether it waits or runs is the job's
-- state and is written nowhere else; only how it ended is ours.

CREATE SCHEMA handfast_runs;

COMMENT ON SCHEMA handfast_runs IS 'Handfast: match runs, and the corpus that they read';

-- Of the face: other programs name them.
CREATE TYPE handfast.match_run_status AS ENUM ('created', 'queued', 'processing', 'ready', 'error');
CREATE TYPE handfast.match_run_step AS ENUM ('resolve', 'extract', 'parse', 'match', 'rank', 'finalize');
COMMENT ON TYPE handfast.match_run_status IS 'Handfast: how a match run stands';
COMMENT ON TYPE handfast.match_run_step IS 'Handfast: what a match run is doing';

CREATE TYPE handfast_runs.corpus_state AS ENUM ('building', 'built', 'refused', 'current', 'previous', 'retired');

-- --- the corpus -------------------------------------------------------------------------------

CREATE TABLE handfast_runs.corpus_versions (
    version        integer GENERATED ALWAYS AS IDENTITY,
    state          handfast_runs.corpus_state NOT NULL DEFAULT 'building',
    made_at        timestamptz NOT NULL,
    built_at       timestamptz,
    switched_at    timestamptz,
    left_at        timestamptz,
    startups       bigint,
    investors      bigint,
    matches        bigint,
    source         text NOT NULL,
    verdict        jsonb,
    weights        jsonb,
    CONSTRAINT corpus_versions_pkey PRIMARY KEY (version),
    CONSTRAINT corpus_built_knows_its_size CHECK (
        state = 'building' OR state = 'retired'
        OR (built_at IS NOT NULL AND startups IS NOT NULL AND investors IS NOT NULL AND matches IS NOT NULL)
    ),
    CONSTRAINT corpus_current_was_switched CHECK (state <> 'current' OR switched_at IS NOT NULL)
);

CREATE UNIQUE INDEX corpus_current ON handfast_runs.corpus_versions ((true)) WHERE state = 'current';

COMMENT ON COLUMN handfast_runs.corpus_versions.verdict IS 'what the guardian found, check by check';
COMMENT ON COLUMN handfast_runs.corpus_versions.left_at IS 'when readers were switched away from it';
COMMENT ON COLUMN handfast_runs.corpus_versions.weights IS
    'what each signal counted when its pairs were scored; null where we did not score them';

CREATE TABLE handfast_runs.startup_uploads (
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

COMMENT ON COLUMN handfast_runs.startup_uploads.raising IS 'whole US dollars';

CREATE TABLE handfast_runs.investors (
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
    deals          integer,
    CONSTRAINT investors_pkey PRIMARY KEY (version, investor_id),
    CONSTRAINT investor_cheque CHECK (cheque_min >= 0 AND cheque_max >= cheque_min),
    CONSTRAINT investor_deals CHECK (deals >= 0)
) PARTITION BY LIST (version);

COMMENT ON COLUMN handfast_runs.investors.deals IS 'how many companies it has backed; null where nobody knows';

-- Scores are whole numbers, so that equal means equal on every machine. The six parts (sector, stage,
-- geography, cheque, thesis, activity) are what a match is explained with.
CREATE TABLE handfast_runs.startup_investor_matches (
    version        integer NOT NULL,
    score          smallint NOT NULL,
    sector         smallint NOT NULL,
    stage          smallint NOT NULL,
    geography      smallint NOT NULL,
    cheque         smallint NOT NULL,
    thesis         smallint NOT NULL,
    startup_id     text COLLATE "C" NOT NULL,
    investor_id    text COLLATE "C" NOT NULL,
    activity       smallint NOT NULL DEFAULT -1,
    deals          integer NOT NULL DEFAULT -1,
    CONSTRAINT startup_investor_matches_pkey PRIMARY KEY (version, startup_id, investor_id),
    CONSTRAINT match_score CHECK (score BETWEEN 0 AND 1000)
) PARTITION BY LIST (version);

COMMENT ON COLUMN handfast_runs.startup_investor_matches.score IS 'from 0 to 1000';
COMMENT ON COLUMN handfast_runs.startup_investor_matches.sector IS
    'how well this signal agrees, from 0 to 100; -1 where one side says nothing of it';
COMMENT ON COLUMN handfast_runs.startup_investor_matches.deals IS
    'the investor''s in this version, -1 where nobody knows: here for the index that orders by it';

-- Everything that the top 200 of a startup need, in their order.
CREATE INDEX startup_investor_matches_best ON handfast_runs.startup_investor_matches
    (version, startup_id, score DESC, deals DESC, investor_id)
    INCLUDE (sector, stage, geography, cheque, thesis, activity);

-- --- addresses --------------------------------------------------------------------------------

-- An alias says that two addresses are one company. No target is an alias itself: a trigger writes
-- the last address of a chain into each of its rows, so that reading needs one step and a cycle
-- is refused (alias_elsewhere).
CREATE TABLE handfast_runs.aliases (
    canonical_url  text COLLATE "C" NOT NULL,
    target         text COLLATE "C" NOT NULL,
    noted_at       timestamptz NOT NULL,
    CONSTRAINT aliases_pkey PRIMARY KEY (canonical_url),
    CONSTRAINT alias_elsewhere CHECK (canonical_url <> target)
);

COMMENT ON TABLE handfast_runs.aliases IS 'old addresses: a run of canonical_url is a run of target';

CREATE INDEX aliases_by_target ON handfast_runs.aliases (target);

CREATE FUNCTION handfast_runs.flatten_alias() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    -- One after the other: two that come at once would not see each other's row.
    PERFORM pg_advisory_xact_lock(hashtext('handfast_runs.aliases'));
    NEW.canonical_url := handfast_runs.canonicalize_url(NEW.canonical_url);
    NEW.target := handfast_runs.canonicalize_url(NEW.target);
    NEW.noted_at := coalesce(NEW.noted_at, handfast_db.now());
    NEW.target := coalesce(
        (SELECT a.target FROM handfast_runs.aliases AS a WHERE a.canonical_url = NEW.target), NEW.target);
    IF NEW.canonical_url = NEW.target THEN
        RAISE EXCEPTION '% would be an old address of itself', NEW.canonical_url
            USING ERRCODE = 'check_violation', CONSTRAINT = 'alias_elsewhere', TABLE = TG_TABLE_NAME,
                  SCHEMA = TG_TABLE_SCHEMA,
                  HINT = 'Delete the alias that leads back first, if the company has its old address again.';
    END IF;
    UPDATE handfast_runs.aliases AS a SET target = NEW.target WHERE a.target = NEW.canonical_url;
    RETURN NEW;
END
$$;

REVOKE ALL ON FUNCTION handfast_runs.flatten_alias() FROM PUBLIC;

CREATE TRIGGER aliases_flat BEFORE INSERT OR UPDATE ON handfast_runs.aliases
FOR EACH ROW EXECUTE FUNCTION handfast_runs.flatten_alias();

-- The users': what Handfast ships comes with the function handfast_runs.shared_segments, and a row here wins.
-- A host may be shared below one folder only (gust.com/c).
CREATE TABLE handfast_runs.shared_hosts (
    host           text COLLATE "C" NOT NULL,
    segments       smallint NOT NULL,
    CONSTRAINT shared_hosts_pkey PRIMARY KEY (host),
    CONSTRAINT shared_host_segments CHECK (segments BETWEEN 0 AND 4),
    CONSTRAINT shared_host_is_canonical
        CHECK (host ~ '^[a-z0-9_.-]+(/[^/?#[:space:]]+)?$' AND host NOT LIKE 'www.%'),
    CONSTRAINT shared_folder_names_somebody CHECK (segments > 0 OR strpos(host, '/') = 0)
);

COMMENT ON COLUMN handfast_runs.shared_hosts.segments IS
    'how many segments of the path name the company: 1 for github.com/acme, 2 for linkedin.com/company/acme; '
    'after the folder where there is one (gust.com/c); 0 where names are given out below the host';

-- --- runs -------------------------------------------------------------------------------------

CREATE TABLE handfast_runs.records (
    run_id         uuid NOT NULL,
    job_id         bigint NOT NULL,
    corpus_version integer,
    match_count    integer,
    created_at     timestamptz NOT NULL,
    updated_at     timestamptz NOT NULL,
    ended_at       timestamptz,
    ended          handfast.match_run_status,
    step           handfast.match_run_step NOT NULL DEFAULT 'resolve',
    startup_id     text COLLATE "C",
    input_url      text NOT NULL,
    canonical_url  text COLLATE "C" NOT NULL,
    error_code     text,
    error_message  text,
    locked_by      text,
    CONSTRAINT records_pkey PRIMARY KEY (run_id),
    CONSTRAINT run_job UNIQUE (job_id),
    CONSTRAINT run_version FOREIGN KEY (corpus_version) REFERENCES handfast_runs.corpus_versions (version),
    CONSTRAINT run_ended CHECK (ended IN ('ready', 'error')),
    CONSTRAINT run_ended_once CHECK ((ended IS NULL) = (ended_at IS NULL)),
    CONSTRAINT run_error_has_a_code CHECK ((ended IS NOT DISTINCT FROM 'error') = (error_code IS NOT NULL)),
    CONSTRAINT run_ready_is_whole CHECK (
        ended IS DISTINCT FROM 'ready'
        OR (startup_id IS NOT NULL AND match_count IS NOT NULL AND corpus_version IS NOT NULL)
    )
) WITH (fillfactor = 70);  -- its steps are noted in place, beside the indexes: none of them has updated_at

COMMENT ON COLUMN handfast_runs.records.locked_by IS
    'the name that a SQL client claimed it with; a worker of ours is known to the engine';

-- Created, queued and processing are the states of a run that has not ended: twenty clicks, one row.
CREATE UNIQUE INDEX run_active_once ON handfast_runs.records (canonical_url) WHERE ended IS NULL;
-- The newest answer to an address: a ready run, or one that found no such company.
CREATE INDEX runs_ended_by_url ON handfast_runs.records (canonical_url, ended_at DESC)
    WHERE ended IS NOT NULL;
-- Which runs answered for a startup, the newest first.
CREATE INDEX runs_by_startup ON handfast_runs.records (startup_id, created_at DESC)
    WHERE startup_id IS NOT NULL;
CREATE INDEX runs_by_time ON handfast_runs.records (created_at DESC, run_id);

CREATE TABLE handfast_runs.steps (
    run_id         uuid NOT NULL,
    began_at       timestamptz NOT NULL,
    ended_at       timestamptz,
    token          bigint NOT NULL,
    step           handfast.match_run_step NOT NULL,
    CONSTRAINT steps_pkey PRIMARY KEY (run_id, token, step),
    CONSTRAINT step_run FOREIGN KEY (run_id) REFERENCES handfast_runs.records (run_id) ON DELETE CASCADE
);

-- --- what nobody can forget -------------------------------------------------------------------

CREATE FUNCTION handfast_runs.refuse_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'run % has ended as % and stays so', OLD.run_id, OLD.ended
        USING ERRCODE = 'check_violation', CONSTRAINT = 'run_move', TABLE = TG_TABLE_NAME,
              SCHEMA = TG_TABLE_SCHEMA;
END
$$;

CREATE TRIGGER records_moves AFTER UPDATE ON handfast_runs.records FOR EACH ROW
WHEN (OLD.ended IS NOT NULL) EXECUTE FUNCTION handfast_runs.refuse_move();
