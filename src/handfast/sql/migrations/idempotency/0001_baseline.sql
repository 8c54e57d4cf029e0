-- Requests that carry a key, and what they were answered.
--
--   handfast_idempotency.records       one row per (scope, key); the claim, and later the response
--   handfast_idempotency.servers       one row per process that carries requests out, and until when
--                                      it is believed to live
--   handfast_idempotency.cache_secret  what proves that an entry in the Redis cache was written by us
--
-- PostgreSQL reads the text of a CHECK, and of a trigger's WHEN, anew for every statement, and a
-- request with a key makes two: what is long is dear. So what a value must be is said by its domain,
-- whose check is kept ready, and what is said of a whole row is short.

CREATE SCHEMA handfast_idempotency;

COMMENT ON SCHEMA handfast_idempotency IS 'Handfast: a request that is sent twice is carried out once';

CREATE DOMAIN handfast_idempotency.hash AS bytea
    CONSTRAINT record_hash CHECK (length(VALUE) = 32);
CREATE DOMAIN handfast_idempotency.kept_status AS smallint
    CONSTRAINT record_status CHECK (VALUE BETWEEN 200 AND 499);

-- Renewed every 1.5 s while the process has claims, and not at all while it has none. Whoever is not
-- in here is dead.
CREATE TABLE handfast_idempotency.servers (
    id             bigint NOT NULL,
    alive_until    handfast_db.instant NOT NULL,
    CONSTRAINT servers_pkey PRIMARY KEY (id)
) WITH (fillfactor = 50);

COMMENT ON COLUMN handfast_idempotency.servers.id IS 'chosen at random by the process itself';

-- A record is running while a server has it, done once it has a status, and free with neither.
CREATE TABLE handfast_idempotency.records (
    key            uuid NOT NULL,
    token          bigint NOT NULL,
    first_used_at  timestamptz NOT NULL,
    expires_at     handfast_db.instant NOT NULL,
    server         bigint,
    status         handfast_idempotency.kept_status,
    encrypted      boolean NOT NULL DEFAULT false,
    scope          handfast_idempotency.hash NOT NULL,
    fingerprint    handfast_idempotency.hash NOT NULL,
    response       bytea,
    tag            text COLLATE "C",
    CONSTRAINT records_pkey PRIMARY KEY (scope, key),
    CONSTRAINT record_form CHECK (
        (server IS NULL OR status IS NULL) AND (response IS NULL OR status IS NOT NULL)
    )
) WITH (
    -- Written twice: claimed, then answered. The second must find room on its page, so that it
    -- touches no index; answers of up to about 2 kB stay on the page, longer ones go elsewhere.
    fillfactor = 50,
    autovacuum_vacuum_scale_factor = 0.05
);

COMMENT ON COLUMN handfast_idempotency.records.scope IS 'SHA-256 of the principal: whose key this is';
COMMENT ON COLUMN handfast_idempotency.records.token IS
    'the fence: every claim has a higher one than all before, also after the row was deleted';
COMMENT ON COLUMN handfast_idempotency.records.server IS
    'who is at it; when that server is dead, whoever comes next may take over';
COMMENT ON COLUMN handfast_idempotency.records.response IS
    'headers and body; null in a record that is done says that the response was not kept';
COMMENT ON COLUMN handfast_idempotency.records.tag IS
    'what the response belongs to; whoever ends that drops the responses that name it';

-- Of the few that have a tag: the others are not in it, and their updates touch no index.
CREATE INDEX records_by_tag ON handfast_idempotency.records (tag) WHERE tag IS NOT NULL;

-- No index on expires_at: it would be written by every request. Expired records are found by
-- walking through the table, some pages at a time.

-- Whatever a program does, a response once given stays, until the record has expired, or is dropped
-- with its tag and never comes back. Watched after
-- the row is written: before it, PostgreSQL would lock the row first, and log that too.
CREATE FUNCTION handfast_idempotency.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'an answered request cannot be answered again, and the fence is never lowered'
        USING ERRCODE = 'check_violation', CONSTRAINT = 'record_move', TABLE = TG_TABLE_NAME,
              SCHEMA = TG_TABLE_SCHEMA;
END
$$;

-- The fence is never lowered; an answer stays until a new first use, or goes; only a claim can be
-- answered.
CREATE TRIGGER records_moves AFTER UPDATE ON handfast_idempotency.records FOR EACH ROW
WHEN (
    NEW.token < OLD.token
    OR (OLD.status IS NOT NULL AND NEW.status IS NULL AND NEW.first_used_at = OLD.first_used_at)
    OR (OLD.server IS NULL AND NEW.status IS NOT NULL
        AND (NEW.response IS NOT NULL OR NEW.status IS DISTINCT FROM OLD.status))
) EXECUTE FUNCTION handfast_idempotency.refuse_change();

CREATE TABLE handfast_idempotency.cache_secret (
    single         boolean NOT NULL DEFAULT true,
    secret         bytea NOT NULL,
    CONSTRAINT cache_secret_pkey PRIMARY KEY (single),
    CONSTRAINT cache_secret_single CHECK (single)
);

-- Two random UUIDs, hashed: 244 random bits without an extension.
INSERT INTO handfast_idempotency.cache_secret (secret)
VALUES (sha256((gen_random_uuid()::text || gen_random_uuid()::text)::bytea));
