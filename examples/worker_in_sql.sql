-- A worker that is only a SQL client: claim with a lease of its own, finish with the token. The same
-- calls make a worker in any language.
--
--     handfast psql -f examples/worker_in_sql.sql
--
-- Jobs that a worker in another language should take go into a lane of their own.

\set ON_ERROR_STOP on
\pset format unaligned
\pset tuples_only on

CREATE TABLE IF NOT EXISTS example_shipments (number text);

SELECT id AS job FROM handfast.enqueue(
    'example.parcel', 'parcel-' || gen_random_uuid(), '{"order": 7}', lane => 'sql'
) \gset

-- Mine for a minute. The token is the proof.
SELECT id, token, payload ->> 'order' AS number
FROM handfast.claim(ARRAY['sql'], lease => '1 minute') \gset

-- It takes longer than I thought: false would mean that it is too late.
SELECT 'extended', handfast.extend(:id, :token, '5 minutes');

-- The work and its completion in one transaction. Look at the answer before committing: false means
-- that the lease was lost, somebody else has the job, and this is to be rolled back.
BEGIN;
INSERT INTO example_shipments VALUES (:'number');
SELECT handfast.finish(:id, :token, '{"shipped": true}') AS mine \gset
\if :mine
COMMIT;
\echo 'finished'
\else
ROLLBACK;
\echo 'lost'
\endif

SELECT 'state', state, result FROM handfast.jobs WHERE id = :id;

-- Coming again with a token that has been used changes nothing.
SELECT 'late', handfast.finish(:id, :token);

-- A failure names its class; the kind's policy decides what follows. Undeclared kinds get three
-- retries, after 30 s, 2 min and 5 min.
SELECT id AS job FROM handfast.enqueue(
    'example.parcel', 'parcel-' || gen_random_uuid(), '{"order": 8}', lane => 'sql'
) \gset
SELECT id, token FROM handfast.claim(ARRAY['sql'], lease => '1 minute') \gset
SELECT 'failed', handfast.fail(:id, :token, 'the van has a flat tyre');
SELECT 'dropped', handfast.cancel(:id, 'only an example');
