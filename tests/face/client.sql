-- The same from psql: see client.js.
\set ON_ERROR_STOP on
\pset format unaligned
\pset tuples_only on

BEGIN;
SELECT id, created FROM handfast.enqueue(
    kind => 'client.ship', key => 'psql-1', payload => '{"order": 1}', lane => 'clients'
) \gset
COMMIT;
BEGIN;
SELECT FROM handfast.enqueue('client.ship', 'psql-undone');
ROLLBACK;
SELECT created AS again, id = :id AS same FROM handfast.enqueue('client.ship', 'psql-1') \gset
SELECT json_agg(state ORDER BY ordinal) AS many FROM handfast.enqueue_many(
    'client.later', '{psql-2,psql-3}', ARRAY['{"n": 2}', '{"n": 3}']::jsonb[],
    due_at => '{2100-01-01Z,2100-01-02Z}'
) \gset
SELECT json_build_array(state, payload, attempts) AS waiting FROM handfast.jobs WHERE id = :id \gset
SELECT id AS held, token, key FROM handfast.claim('{clients}', lease => '1 minute') \gset
SELECT handfast.finish(:held, :token, '{"ok": true}') AS done \gset
SELECT handfast.finish(:held, :token) AS late \gset
SELECT json_build_array(state, result) AS ended
FROM handfast.jobs WHERE kind = 'client.ship' AND key = 'psql-1' \gset
SELECT json_agg(key ORDER BY key) AS keys FROM handfast.jobs WHERE key LIKE 'psql-%' \gset

SELECT json_build_object(
    'created', :'created'::boolean, 'again', json_build_array(:'again'::boolean, :'same'::boolean),
    'many', :'many'::json, 'waiting', :'waiting'::json,
    'held', json_build_array(:held = :id, :'key'), 'done', json_build_array(:'done'::boolean, :'late'::boolean),
    'ended', :'ended'::json, 'keys', :'keys'::json
);
