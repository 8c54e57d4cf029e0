-- Take up to p_limit ready jobs: the first by priority, then due time, then id; the answer has them
-- in any order. Each claim raises the job's token. p_worker is a registered worker, whose heartbeat
-- keeps the lease of all its jobs; a plain SQL client passes null and p_lease, a deadline for this
-- claim alone.
--
-- The token is the real clock's microseconds, the same for all jobs of a claim, unless a job's own is
-- beyond that. So a claim that a crash of the server swallowed is not handed out again under the same
-- number; whoever checks a token checks that it is equal.
--
-- p_flush false is for a worker whose claim is a transaction of its own: then the commit is not waited
-- for on the disk. It is all the same, for all of its jobs, if one of them is in a group (after a crash
-- that swallowed the claim more of the group could run than may) or of a kind that says durable_claim.
--
-- p_kinds are the kinds that the caller knows, p_versions the newest version of each that it can
-- read: nothing else is taken, locked or looked at, so two programs on one lane are not in each
-- other's way. Null is any kind, or any version.
--
-- Of lanes and kinds that are paused (handfast_engine.pauses) nothing is taken.
--
-- Payloads of one claim have some 16 MiB at most, whatever p_limit is: fewer jobs than were asked for
-- does not mean that there are no more. (One that alone is larger than that is taken alone.)
--
-- p_floors is a hint: [[priority, instant, id], …], below which the caller has found nothing (the id
-- may be left out). Jobs that were claimed stay at the front of the index until vacuum removes them,
-- and every claim steps over all of them; with floors it begins behind them, and looks for exactly
-- the versions that are named. What lies below (a rescued job, a late commit) or has another
-- version waits for the next claim without floors, so a caller must make those too.
--
-- Scans and hash joins are off: the tables are empty one minute and huge the next, and a plan made
-- in one is kept in the other.
CREATE OR REPLACE FUNCTION handfast_engine.claim(
    p_worker   bigint,
    p_lanes    text[],
    p_limit    integer,
    p_lease    interval DEFAULT NULL,
    p_floors   jsonb DEFAULT NULL,
    p_kinds    text[] DEFAULT NULL,
    p_versions smallint[] DEFAULT NULL,
    p_flush    boolean DEFAULT true
) RETURNS TABLE (
    id bigint, token bigint, attempt integer, failures integer, kind text, key text, payload jsonb,
    version smallint, due_at timestamptz, started_at timestamptz, alone boolean, lane text,
    priority smallint
)
LANGUAGE plpgsql
SET enable_seqscan = off SET jit = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
    v_bytes_max CONSTANT bigint := 16 * 1024 * 1024;
    v_now timestamptz := handfast_db.now();
    v_token CONSTANT bigint := extract(epoch FROM clock_timestamp()) * 1000000;
    v_flush boolean := p_flush OR p_worker IS NULL;
    v_ids bigint[] := '{}';
    v_grouped bigint[];
    v_bytes bigint := 0;
    v_more record;
    v_idle boolean;
    v_floor jsonb;
BEGIN
    IF (p_worker IS NULL) = (p_lease IS NULL) THEN
        RAISE EXCEPTION 'a claim needs a worker or a lease, and not both'
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF p_worker IS NOT NULL THEN
        -- Held against rescue, which takes the row for itself before it takes the jobs.
        SELECT w.idle INTO v_idle FROM handfast_engine.workers AS w
        WHERE w.id = p_worker AND NOT w.lost AND w.ended_at IS NULL AND w.lease_until > v_now
        FOR KEY SHARE;
        IF NOT FOUND THEN
            RAISE EXCEPTION 'worker % has lost its lease', p_worker USING ERRCODE = 'HF001';
        END IF;
    END IF;

    IF EXISTS (SELECT 1 FROM handfast_engine.pauses) THEN  -- hardly ever
        SELECT u.lanes, u.kinds, u.versions INTO p_lanes, p_kinds, p_versions
        FROM handfast_engine.unpaused(p_lanes, p_kinds, p_versions) AS u;
    END IF;
    IF p_floors IS NULL THEN
        v_more := handfast_engine.claimable(handfast_engine.ready_kinds(p_lanes, p_kinds, p_versions), p_limit);
        v_ids := v_more.ids;
        v_bytes := v_more.bytes;
    ELSE
        FOR v_floor IN SELECT f FROM jsonb_array_elements(p_floors) AS f ORDER BY (f ->> 0)::integer
        LOOP
            v_more := handfast_engine.claimable(
                handfast_engine.ready_kinds_behind(p_lanes, p_kinds, p_versions, v_floor),
                p_limit - cardinality(v_ids), (v_floor ->> 0)::smallint
            );
            v_ids := v_ids || v_more.ids;
            v_bytes := v_bytes + v_more.bytes;
            EXIT WHEN cardinality(v_ids) >= p_limit;
        END LOOP;
    END IF;
    -- Grouped jobs compete with the others by the same order, so both are looked at, always.
    IF EXISTS (
        SELECT 1 FROM unnest(p_lanes) AS n(lane) CROSS JOIN LATERAL (
            SELECT 1 FROM handfast_engine.live AS l
            WHERE l.lane = n.lane AND l.state = 'ready' AND l.group_name IS NOT NULL LIMIT 1
        ) AS grouped
    ) THEN
        v_grouped := handfast_engine.claimable_in_groups(p_lanes, p_kinds, p_versions, p_limit);
        v_flush := v_flush OR cardinality(v_grouped) > 0;
        v_ids := v_ids || v_grouped;
        IF cardinality(v_ids) > p_limit THEN
            v_ids := ARRAY(
                SELECT l.id FROM handfast_engine.live AS l WHERE l.id = ANY (v_ids)
                ORDER BY l.priority, l.due_at, l.id LIMIT p_limit
            );
        END IF;
        SELECT sum(handfast_engine.payload_bytes(l.payload)) INTO v_bytes
        FROM handfast_engine.live AS l WHERE l.id = ANY (v_ids);
    END IF;
    IF v_bytes > v_bytes_max THEN
        v_ids := handfast_engine.within_bytes(v_ids, v_bytes_max);
    END IF;
    -- An idle worker is one that wants to be woken. It says so here and then looks once more: what
    -- was enqueued in between was enqueued by somebody who did not know.
    IF v_idle <> (cardinality(v_ids) = 0) THEN
        UPDATE handfast_engine.workers AS w SET idle = NOT v_idle WHERE w.id = p_worker;
    END IF;
    v_flush := v_flush OR EXISTS (
        SELECT 1 FROM handfast_engine.kinds AS k CROSS JOIN LATERAL (
            SELECT 1 FROM handfast_engine.live AS l WHERE l.id = ANY (v_ids) AND l.kind = k.kind LIMIT 1
        ) AS claimed
        WHERE k.durable_claim  -- an index that is empty for most
          AND (p_kinds IS NULL OR k.kind = ANY (p_kinds))
    );
    IF NOT v_flush THEN
        PERFORM set_config('synchronous_commit', 'off', true);
    END IF;
    IF cardinality(v_ids) = 0 THEN
        RETURN;
    END IF;

    -- Looked at once more: what was found may have been freed since this claim began, and no job
    -- starts before the one that it required had finished.
    v_now := handfast_db.now();
    RETURN QUERY
    UPDATE handfast_engine.live AS l
    SET state = 'running', token = greatest(l.token + 1, v_token), attempt = l.attempt + 1,
        worker = p_worker, started_at = v_now, first_start_at = coalesce(l.first_start_at, v_now),
        lease_until = v_now + p_lease
    WHERE l.id = ANY (v_ids)
    RETURNING l.id, l.token, l.attempt, l.failures, l.kind, l.key, l.payload::jsonb, l.version,
              l.due_at::timestamptz, l.started_at, l.alone, l.lane::text, l.priority::smallint;
END
$$;
