-- What each function was when it was installed, so that the next migrate replaces what changed, in
-- the files or in the database, and nothing else.
ALTER TABLE db.functions ADD COLUMN installed jsonb NOT NULL DEFAULT '{}';

COMMENT ON COLUMN db.functions.installed IS
    'for each function the SHA-256 of its file and of the definition that PostgreSQL made of it';
