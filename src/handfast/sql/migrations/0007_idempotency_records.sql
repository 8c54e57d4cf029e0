-- Requests that carry a key, and what they were answered.
--
--   idempotency.records       one row per (scope, key); the claim, and later the response
--   idempotency.cache_secret  what proves that an entry in the Redis cache was written by us

CREATE SCHEMA idempotency;

COMMENT ON SCHEMA idempotency IS 'Handfast: a request that is sent twice is carried out once';

CREATE TYPE idempotency.record_state AS ENUM ('running', 'free', 'done');

-- What a value must be is said by its domain: PostgreSQL keeps such a check ready, and makes it when
-- a value comes in. It reads the text of a table's CHECK anew for every statement, and a request
-- makes two.
CREATE DOMAIN idempotency.hash AS bytea
    CONSTRAINT record_hash CHECK (length(VALUE) = 32);
CREATE DOMAIN idempotency.kept_status AS smallint
    CONSTRAINT record_status CHECK (VALUE BETWEEN 200 AND 499);

CREATE TABLE idempotency.records (
    key            uuid NOT NULL,
    token          bigint NOT NULL,
    first_used_at  timestamptz NOT NULL,
    expires_at     timestamptz NOT NULL,
    lease_until    timestamptz,
    state          idempotency.record_state NOT NULL DEFAULT 'running',
    status         idempotency.kept_status,
    encrypted      boolean NOT NULL DEFAULT false,
    scope          idempotency.hash NOT NULL,
    fingerprint    idempotency.hash NOT NULL,
    response       bytea,
    CONSTRAINT records_pkey PRIMARY KEY (scope, key),
    -- A lease belongs to a running request, a status and a response to one that is done, and to
    -- nothing else.
    CONSTRAINT record_form CHECK (
        (lease_until IS NOT NULL) = (state = 'running')
        AND (status IS NOT NULL) = (state = 'done')
        AND (response IS NULL OR state = 'done')
        AND expires_at > first_used_at
    )
) WITH (
    -- Written twice: claimed, then answered. The second must find room on its page, so that it
    -- touches no index; answers of up to about 2 kB stay on the page, longer ones go elsewhere.
    fillfactor = 50,
    autovacuum_vacuum_scale_factor = 0.05
);

COMMENT ON COLUMN idempotency.records.scope IS 'SHA-256 of the principal: whose key this is';
COMMENT ON COLUMN idempotency.records.token IS
    'the fence: every claim has a higher one than all before, also after the row was deleted';
COMMENT ON COLUMN idempotency.records.response IS
    'headers and body; null in a record that is done says that the response was not kept';

-- No index on expires_at: it would be written by every request. Expired records are found by
-- walking through the table, some pages at a time.

-- Whatever a program does, a response once given stays, until the record has expired. Watched after
-- the row is written: before it, PostgreSQL would lock the row first, and log that too.
CREATE FUNCTION idempotency.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'an answered request cannot be answered again, and the fence is never lowered'
        USING ERRCODE = 'check_violation', CONSTRAINT = 'record_move', TABLE = TG_TABLE_NAME,
              SCHEMA = TG_TABLE_SCHEMA;
END
$$;

CREATE TRIGGER records_moves AFTER UPDATE ON idempotency.records FOR EACH ROW
WHEN (
    NEW.token < OLD.token
    OR (OLD.state = 'done' AND NEW.first_used_at = OLD.first_used_at)
    OR (OLD.state = 'free' AND NEW.state <> 'running')
) EXECUTE FUNCTION idempotency.refuse_change();

CREATE TABLE idempotency.cache_secret (
    single         boolean NOT NULL DEFAULT true,
    secret         bytea NOT NULL,
    CONSTRAINT cache_secret_pkey PRIMARY KEY (single),
    CONSTRAINT cache_secret_single CHECK (single)
);

-- Two random UUIDs, hashed: 244 random bits without an extension.
INSERT INTO idempotency.cache_secret (secret)
VALUES (sha256((gen_random_uuid()::text || gen_random_uuid()::text)::bytea));
