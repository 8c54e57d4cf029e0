-- What was read from documents, so that one that has not changed is not read again.

CREATE TABLE fixtures.readings (
    digest         bytea NOT NULL,
    read_at        timestamptz NOT NULL,
    fixtures       bigint[] NOT NULL,
    stamp          text NOT NULL,
    told           jsonb NOT NULL,
    CONSTRAINT readings_pkey PRIMARY KEY (digest),
    CONSTRAINT reading_digest CHECK (length(digest) = 32)
);

CREATE INDEX readings_by_age ON fixtures.readings (read_at);

COMMENT ON TABLE fixtures.readings IS 'documents that were stored whole, and are not read again';
COMMENT ON COLUMN fixtures.readings.digest IS 'of the bytes and of everything that decides what they mean';
COMMENT ON COLUMN fixtures.readings.stamp IS 'of its fixtures as they were left: see fixtures.stamp_of';
COMMENT ON COLUMN fixtures.readings.told IS 'what its ingest reported';
