-- What all the other schemas stand on.
--
--   handfast_db.migrations  which files have been applied, schema by schema
--   handfast_db.functions   which functions each schema has
--   handfast_db.instant     a moment that every program can read
--
-- It is a migration like any other: the runner takes a database without the record for one where
-- nothing has been applied yet.

CREATE SCHEMA handfast_db;

COMMENT ON SCHEMA handfast_db IS 'Handfast: the record of migrations, and the clock';

CREATE TABLE handfast_db.migrations (
    schema      text        NOT NULL,
    number      integer     NOT NULL,
    name        text        NOT NULL,
    checksum    text        NOT NULL,
    version     text        NOT NULL,
    applied_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT migrations_pkey PRIMARY KEY (schema, number),
    CONSTRAINT migrations_number_positive CHECK (number > 0)
);

COMMENT ON COLUMN handfast_db.migrations.checksum IS 'SHA-256 of the file: an edited migration is refused';
COMMENT ON COLUMN handfast_db.migrations.version IS 'the version of Handfast that applied it';

-- What each function was when it was installed, so that the next migrate replaces what changed, in
-- the files or in the database, and nothing else; and by whom, so that an older process never puts
-- its functions over newer ones.
CREATE TABLE handfast_db.functions (
    schema      text        NOT NULL,
    checksum    text        NOT NULL,
    version     text        NOT NULL,
    applied_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    installed   jsonb       NOT NULL DEFAULT '{}',
    CONSTRAINT functions_pkey PRIMARY KEY (schema)
);

COMMENT ON COLUMN handfast_db.functions.checksum IS 'SHA-256 of all files of the schema''s functions';
COMMENT ON COLUMN handfast_db.functions.installed IS
    'for each function the SHA-256 of its file and of the definition that PostgreSQL made of it';

-- PostgreSQL knows instants that its readers do not: the year 10000, a year before the first,
-- infinity. One of them in one row makes every program fail that reads it.
--
-- A domain, because its check is kept ready, and is made when a value comes in: PostgreSQL reads the
-- text of a table's CHECK anew for every statement.
CREATE DOMAIN handfast_db.instant AS timestamptz CONSTRAINT instant_in_range CHECK (
    VALUE >= '0001-01-02 00:00:00+00'::timestamptz AND VALUE < '9999-12-31 00:00:00+00'::timestamptz
);
