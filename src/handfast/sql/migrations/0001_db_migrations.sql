-- The record of what has been applied. It is a migration like any other: the runner takes a
-- database without this table for one where nothing has been applied yet.

CREATE SCHEMA db;

COMMENT ON SCHEMA db IS 'Handfast: the record of migrations, and the clock';

CREATE TABLE db.migrations (
    number      integer     NOT NULL,
    name        text        NOT NULL,
    checksum    text        NOT NULL,
    version     text        NOT NULL,
    applied_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT migrations_pkey PRIMARY KEY (number),
    CONSTRAINT migrations_number_positive CHECK (number > 0)
);

COMMENT ON COLUMN db.migrations.checksum IS 'SHA-256 of the file: an edited migration is refused';
COMMENT ON COLUMN db.migrations.version IS 'the version of Handfast that applied it';

-- The set of function bodies that is installed, so that an older process never puts its bodies
-- over newer ones.
CREATE TABLE db.functions (
    one         boolean     NOT NULL DEFAULT true,
    checksum    text        NOT NULL,
    version     text        NOT NULL,
    applied_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT functions_pkey PRIMARY KEY (one),
    CONSTRAINT functions_one_row CHECK (one)
);
