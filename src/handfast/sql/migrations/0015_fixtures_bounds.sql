-- Instants that PostgreSQL knows and its readers do not: the year 10000, a year before the first,
-- infinity. One of them stored in one row made every program fail that read it. From now on nobody
-- can store one, and those that are there move to the nearest that can be read: what was due in
-- 10000 is due at the end of 9999.
--
-- A domain, because its check is made when a value comes in, and kept ready: a table's CHECK is read
-- anew by every statement (0003). It is put on the columns before it has its rule, so no table is
-- rewritten or looked through while it is locked.

CREATE DOMAIN db.instant AS timestamptz;

CREATE FUNCTION pg_temp.near(p_at timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
    SELECT least(greatest(p_at, timestamptz '0001-01-02 00:00:00+00'),
                 timestamptz '9999-12-30 23:59:59+00')
$$;

-- First what reads and moves rows, then what locks tables.
UPDATE engine.live SET due_at = pg_temp.near(due_at), first_due_at = pg_temp.near(first_due_at)
WHERE due_at <> pg_temp.near(due_at) OR first_due_at <> pg_temp.near(first_due_at);
UPDATE engine.live SET deadline_at = pg_temp.near(deadline_at)
WHERE deadline_at <> pg_temp.near(deadline_at);
UPDATE engine.live SET lease_until = pg_temp.near(lease_until)
WHERE lease_until <> pg_temp.near(lease_until);
UPDATE engine.anchors SET at = pg_temp.near(at) WHERE at <> pg_temp.near(at);
UPDATE engine.anchored_ends
SET options = options || jsonb_build_object(
    'deadline', pg_temp.near((options ->> 'deadline')::timestamptz))
WHERE (options ->> 'deadline')::timestamptz <> pg_temp.near((options ->> 'deadline')::timestamptz);
-- A dead letter is put back as it was, and these would not be taken; its due time is not used again.
UPDATE engine.dead AS d
SET job = d.job || jsonb_strip_nulls(jsonb_build_object(
    'due_at', pg_temp.near((d.job ->> 'due_at')::timestamptz),
    'first_due_at', pg_temp.near((d.job ->> 'first_due_at')::timestamptz),
    'deadline_at', CASE WHEN d.job ->> 'deadline_at' IS NOT NULL
                        THEN pg_temp.near((d.job ->> 'deadline_at')::timestamptz) END))
WHERE EXISTS (
    SELECT 1 FROM unnest(ARRAY['due_at', 'first_due_at', 'deadline_at']) AS n(name)
    WHERE (d.job ->> n.name)::timestamptz <> pg_temp.near((d.job ->> n.name)::timestamptz)
);
UPDATE engine.schedules SET cursor = pg_temp.near(cursor), next_at = NULL
WHERE cursor <> pg_temp.near(cursor) OR next_at <> pg_temp.near(next_at);
UPDATE engine.workers SET lease_until = pg_temp.near(lease_until)
WHERE lease_until <> pg_temp.near(lease_until);
UPDATE fixtures.fixtures SET kickoff = pg_temp.near(kickoff) WHERE kickoff <> pg_temp.near(kickoff);
UPDATE fixtures.fixtures SET result_at = pg_temp.near(result_at)
WHERE result_at <> pg_temp.near(result_at);
UPDATE fixtures.outputs SET kickoff = pg_temp.near(kickoff) WHERE kickoff <> pg_temp.near(kickoff);
UPDATE fixtures.decisions SET due_at = pg_temp.near(due_at) WHERE due_at <> pg_temp.near(due_at);
UPDATE limits.buckets SET whole_at = pg_temp.near(whole_at) WHERE whole_at <> pg_temp.near(whole_at);
UPDATE webhooks.secrets SET expires_at = pg_temp.near(expires_at)
WHERE expires_at <> pg_temp.near(expires_at);
UPDATE webhooks.replays SET since = pg_temp.near(since), until = pg_temp.near(until)
WHERE since <> pg_temp.near(since) OR until <> pg_temp.near(until);

ALTER TABLE engine.live
    ALTER COLUMN due_at TYPE db.instant,
    ALTER COLUMN first_due_at TYPE db.instant,
    ALTER COLUMN deadline_at TYPE db.instant,
    -- A view reads this column, so its type stays; the rule goes where one is read already.
    DROP CONSTRAINT live_running,
    ADD CONSTRAINT live_running CHECK (
        (state = 'running') = (started_at IS NOT NULL)
        AND (state <> 'running' OR (worker IS NULL) = (lease_until IS NOT NULL))
        AND lease_until < '9999-12-31 00:00:00+00'
    ) NOT VALID;
ALTER TABLE engine.workers
    ADD CONSTRAINT worker_lease_in_range CHECK (lease_until < '9999-12-31 00:00:00+00') NOT VALID;
ALTER TABLE engine.anchors ALTER COLUMN at TYPE db.instant;
ALTER TABLE engine.schedules
    ALTER COLUMN cursor TYPE db.instant, ALTER COLUMN next_at TYPE db.instant;
ALTER TABLE engine.ticks ALTER COLUMN tick TYPE db.instant;
ALTER TABLE fixtures.fixtures
    ALTER COLUMN kickoff TYPE db.instant, ALTER COLUMN result_at TYPE db.instant;
ALTER TABLE fixtures.outputs ALTER COLUMN kickoff TYPE db.instant;
ALTER TABLE fixtures.decisions ALTER COLUMN due_at TYPE db.instant;
ALTER TABLE idempotency.records ALTER COLUMN expires_at TYPE db.instant;
ALTER TABLE limits.buckets ALTER COLUMN whole_at TYPE db.instant;
ALTER TABLE webhooks.secrets ALTER COLUMN expires_at TYPE db.instant;
ALTER TABLE webhooks.replays
    ALTER COLUMN since TYPE db.instant, ALTER COLUMN until TYPE db.instant;

ALTER DOMAIN db.instant ADD CONSTRAINT instant_in_range CHECK (
    VALUE >= '0001-01-02 00:00:00+00'::timestamptz AND VALUE < '9999-12-31 00:00:00+00'::timestamptz
) NOT VALID;

-- Documents that a worker would have to hold in memory by the thousand. Python's limit is 256 KiB of
-- JSON without blanks; PostgreSQL's own form of the same document has them, and is at most half as
-- long again. Small ones, nearly all, are let through by a look at their length.
ALTER DOMAIN engine.payload_object ADD CONSTRAINT live_payload_size CHECK (
    pg_column_size(VALUE) < 2000 OR octet_length(VALUE::text) <= 393216
) NOT VALID;

CREATE DOMAIN engine.result_document AS jsonb;
ALTER TABLE engine.attempts ALTER COLUMN result TYPE engine.result_document;
ALTER DOMAIN engine.result_document ADD CONSTRAINT attempt_result_size CHECK (
    pg_column_size(VALUE) < 2000 OR octet_length(VALUE::text) <= 393216
) NOT VALID;
