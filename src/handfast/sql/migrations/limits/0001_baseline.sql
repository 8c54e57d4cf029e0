-- Rate limits: one row for each limit and subject that has been used lately. A row says only when
-- the subject's whole quota will be there again (the "theoretical arrival time" of GCRA); what is
-- left of it follows from that moment, the quota and the period. So changing a quota needs no
-- change of rows, and a row whose moment has passed means the same as no row.
--
-- An exact limit with a small quota also keeps the moment of each unit that was taken in the last
-- period, oldest first; its whole_at is one period after the newest. Other rows have no stamps.
--
-- Logged, unlike many counters: after a crash an unlogged table is empty, and whoever was being
-- held back would be let in again. No index but the key: with one on the moment, every request
-- would be more than a heap-only update. Old rows are found by walking the key.

CREATE SCHEMA handfast_limits;

COMMENT ON SCHEMA handfast_limits IS 'Handfast: a caller may do so much, and no more';

CREATE TABLE handfast_limits.buckets (
    name     text COLLATE "C" NOT NULL,
    subject  text COLLATE "C" NOT NULL,
    whole_at handfast_db.instant NOT NULL,
    stamps   handfast_db.instant[],
    CONSTRAINT buckets_pkey PRIMARY KEY (name, subject),
    CONSTRAINT buckets_name_short CHECK (length(name) BETWEEN 1 AND 100),
    CONSTRAINT buckets_subject_short CHECK (length(subject) BETWEEN 1 AND 300),
    CONSTRAINT buckets_stamps_few CHECK (cardinality(stamps) <= 100)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
