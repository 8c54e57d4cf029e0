-- Enqueue from plain psql, in a transaction of your own, and look at the job afterwards.
--
--     handfast psql -f examples/enqueue_from_psql.sql          (or: psql "$DATABASE_URL" -f …)

\set ON_ERROR_STOP on
\pset format unaligned
\pset tuples_only on

CREATE TABLE IF NOT EXISTS example_psql_orders (number text PRIMARY KEY);

-- The order and its job, or neither.
BEGIN;
INSERT INTO example_psql_orders VALUES ('psql-1') ON CONFLICT DO NOTHING;
SELECT created, state FROM handfast.enqueue('example.ship', 'psql-1', '{"order": "psql-1"}');
COMMIT;

BEGIN;
INSERT INTO example_psql_orders VALUES ('psql-2');
SELECT created, state FROM handfast.enqueue('example.ship', 'psql-2', '{"order": "psql-2"}');
ROLLBACK;

-- Asking again answers the job that is there.
SELECT 'again', created FROM handfast.enqueue('example.ship', 'psql-1');

-- Many at once: later, and before everything else of their lane when their time has come.
SELECT 'many', ordinal, state FROM handfast.enqueue_many(
    'example.ship', ARRAY['psql-3', 'psql-4'], ARRAY['{"order": 3}', '{"order": 4}']::jsonb[],
    due_at => ARRAY['2100-01-01 09:00+00', '2100-01-01 10:00+00']::timestamptz[], priority => 1
);

-- Look: who it is, and what it is doing.
SELECT 'job', kind, key, state, payload, attempts, lane
FROM handfast.jobs WHERE kind = 'example.ship' AND key = 'psql-1';

SELECT 'orders', string_agg(number, ',' ORDER BY number) FROM example_psql_orders;
SELECT 'jobs', string_agg(key, ',' ORDER BY key) FROM handfast.jobs WHERE key LIKE 'psql-%';
