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

SELECT id AS job FROM engine.enqueue(
    'example.parcel', 'parcel-' || gen_random_uuid(), '{"order": 7}', NULL, '{"lane": "sql"}'
) \gset

-- Mine for a minute. The token is the proof.
SELECT id, token, payload ->> 'order' AS number
FROM engine.claim(NULL, ARRAY['sql'], 1, interval '1 minute') \gset

-- It takes longer than I thought: false would mean that it is too late.
SELECT 'extended', engine.extend(:id, :token, interval '5 minutes');

-- The work and its completion in one transaction. Look at the answer before committing: if the
-- job is not in it, the lease was lost, somebody else has the job, and this is to be rolled back.
BEGIN;
INSERT INTO example_shipments VALUES (:'number');
SELECT :id = ANY (engine.finish(ARRAY[:id]::bigint[], ARRAY[:token]::bigint[],
                                ARRAY['{"shipped": true}']::jsonb[])) AS mine \gset
\if :mine
COMMIT;
\echo 'finished'
\else
ROLLBACK;
\echo 'lost'
\endif

SELECT 'state', state FROM engine.jobs WHERE id = :id;

-- Coming again with a token that has been used changes nothing.
SELECT 'late', engine.finish(ARRAY[:id]::bigint[], ARRAY[:token]::bigint[]);

-- A failure names its class; the kind's policy decides what follows. Undeclared kinds get three
-- retries, after 30 s, 2 min and 5 min.
SELECT id AS job FROM engine.enqueue(
    'example.parcel', 'parcel-' || gen_random_uuid(), '{"order": 8}', NULL, '{"lane": "sql"}'
) \gset
SELECT id, token FROM engine.claim(NULL, ARRAY['sql'], 1, interval '1 minute') \gset
SELECT 'failed', engine.fail(:id, :token, 'transient', 'the van has a flat tyre');
SELECT 'dropped', engine.cancel(:id, 'only an example');
