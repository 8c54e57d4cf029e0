-- A match run from a SQL client alone: start it, claim it, count, look at the top, complete it, show
-- it. Whoever works on runs in another language makes the same calls.
--
--     handfast psql -f examples/match_run_from_psql.sql
--
-- It brings a corpus of its own, of one startup and three investors, put into Handfast's own tables by
-- hand. To see it on yours, leave out the first part: the rest needs the schema handfast alone.

\set ON_ERROR_STOP on
\pset format unaligned
\pset tuples_only on

-- --- a corpus (yours is loaded by `handfast corpus load`) ---------------------------------------

BEGIN;
INSERT INTO handfast_runs.corpus_versions (made_at, source) VALUES (handfast_db.now(), 'example')
RETURNING version \gset
CREATE TABLE handfast_runs.startup_uploads_:version PARTITION OF handfast_runs.startup_uploads
    FOR VALUES IN (:version);
CREATE TABLE handfast_runs.investors_:version PARTITION OF handfast_runs.investors FOR VALUES IN (:version);
CREATE TABLE handfast_runs.startup_investor_matches_:version PARTITION OF handfast_runs.startup_investor_matches
    FOR VALUES IN (:version);
INSERT INTO handfast_runs.startup_uploads (version, startup_id, name, url, canonical_url, sectors, stage)
VALUES (:version, 'acme', 'Acme', 'https://acme.com', handfast.canonicalize_url('https://acme.com'),
        '{fintech}', 'seed');
INSERT INTO handfast_runs.investors (version, investor_id, name, sectors, stages)
SELECT :version, i.id, i.name, '{fintech}', '{seed}'
FROM (VALUES ('i1', 'Oak'), ('i2', 'Elm'), ('i3', 'Ash')) AS i(id, name);
INSERT INTO handfast_runs.startup_investor_matches
    (version, startup_id, investor_id, score, sector, stage, geography, cheque, thesis)
SELECT :version, 'acme', i.id, i.score, 100, 100, -1, -1, 40
FROM (VALUES ('i1', 700), ('i2', 900), ('i3', 700)) AS i(id, score);
UPDATE handfast_runs.corpus_versions SET state = 'previous', left_at = handfast_db.now() WHERE state = 'current';
UPDATE handfast_runs.corpus_versions
SET state = 'current', built_at = handfast_db.now(), switched_at = handfast_db.now(), startups = 1, investors = 3,
    matches = 3
WHERE version = :version;
COMMIT;

-- --- start: once, however often and in whatever spelling ----------------------------------------

SELECT run_id, created, status FROM handfast.start_match_run('https://www.acme.com/') \gset
\echo started :created :status
SELECT 'again', created, run_id = :'run_id' FROM handfast.start_match_run('ACME.com#team');

-- --- work: mine for a minute; the token is the proof --------------------------------------------

SELECT token, startup_id, corpus_version FROM handfast.claim_next_match_run('psql', 60) \gset
SELECT 'held', status, step, locked_by FROM handfast.match_runs WHERE run_id = :'run_id';
SELECT 'more time', handfast.extend_match_run(:'run_id', 'psql', :token);
SELECT handfast.count_matches(:'startup_id', :corpus_version) AS count \gset
\echo counted :count
SELECT 'top', investor_id, score
FROM handfast.get_top_matches(:'startup_id', 200, :corpus_version);

-- Somebody else, or an old token: refused, and nothing is changed.
SELECT 'stranger', handfast.complete_match_run(:'run_id', 'nobody', :token, 'ready', :count);
SELECT 'complete', handfast.complete_match_run(:'run_id', 'psql', :token, 'ready', :count);
SELECT 'twice', handfast.complete_match_run(:'run_id', 'psql', :token, 'ready', :count);

-- --- show ---------------------------------------------------------------------------------------

SELECT 'shown', status, step, match_count, matches -> 0 ->> 'name'
FROM handfast.get_match_run(:'run_id');
SELECT 'steps', string_agg(s ->> 'step', ' ')
FROM jsonb_array_elements(handfast.get_match_run_debug(:'run_id') -> 'steps') AS s;

-- A company that nobody knows: the claim says with which code to end it.
SELECT run_id AS unknown FROM handfast.start_match_run('https://nobody.example.com') \gset
SELECT token, error_code FROM handfast.claim_next_match_run('psql') \gset
SELECT 'failed', handfast.complete_match_run(:'unknown', 'psql', :token, 'error', NULL, :'error_code');
SELECT 'unknown', status, error_code FROM handfast.match_runs WHERE run_id = :'unknown';

-- What the engine does by itself when a lease ends; by hand it changes nothing more.
SELECT 'released', handfast.release_expired_leases();
