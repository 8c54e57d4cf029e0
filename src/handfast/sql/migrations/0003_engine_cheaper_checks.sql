-- The same refusals for less work on every claim, end and enqueue.
--
-- PostgreSQL reads the text of each CHECK and of each trigger's condition anew for every statement,
-- and evaluates every CHECK again for every update: a quarter of the price of enqueueing one job.
-- A domain's check is kept ready, and is made when a value comes in, not when its row changes.

CREATE DOMAIN engine.kind_name AS text COLLATE "C"
    CONSTRAINT job_kind_length CHECK (length(VALUE) BETWEEN 1 AND 200);
CREATE DOMAIN engine.key_name AS text COLLATE "C"
    CONSTRAINT job_key_length CHECK (length(VALUE) BETWEEN 1 AND 500);
CREATE DOMAIN engine.lane_name AS text
    CONSTRAINT live_lane_length CHECK (length(VALUE) BETWEEN 1 AND 100);
CREATE DOMAIN engine.priority_level AS smallint
    CONSTRAINT live_priority CHECK (VALUE BETWEEN 1 AND 1000);
CREATE DOMAIN engine.payload_object AS jsonb
    CONSTRAINT live_payload_is_an_object CHECK (jsonb_typeof(VALUE) = 'object');

-- Moves are watched after the row is written instead of before. A BEFORE trigger makes PostgreSQL
-- lock the row first, and write that lock to the log, even if the condition then finds nothing
-- wrong. The refusal is the same: the statement is undone.
DROP TRIGGER live_moves ON engine.live;
DROP TRIGGER jobs_moves ON engine.jobs;

ALTER TABLE engine.jobs
    DROP CONSTRAINT job_kind_length,
    DROP CONSTRAINT job_key_length,
    DROP CONSTRAINT job_final_move,
    ALTER COLUMN kind TYPE engine.kind_name,
    ALTER COLUMN key TYPE engine.key_name,
    -- Which state may come from which is watched by jobs_moves: identities begin without one.
    ADD CONSTRAINT job_final_move CHECK ((state IS NULL) = (came_from IS NULL));

ALTER TABLE engine.live
    DROP CONSTRAINT live_state,
    DROP CONSTRAINT live_running,
    DROP CONSTRAINT live_priority,
    DROP CONSTRAINT live_lane_length,
    DROP CONSTRAINT live_payload_is_an_object,
    ALTER COLUMN lane TYPE engine.lane_name,
    ALTER COLUMN priority TYPE engine.priority_level,
    ALTER COLUMN payload TYPE engine.payload_object,
    ADD CONSTRAINT live_state CHECK (state < 'succeeded'),  -- in the order of the type: the live ones
    -- A claim is held by a worker's heartbeat or by a deadline of its own, never by both.
    ADD CONSTRAINT live_running CHECK (
        (state = 'running') = (started_at IS NOT NULL)
        AND (state <> 'running' OR (worker IS NULL) = (lease_until IS NOT NULL))
    );

CREATE TRIGGER live_moves AFTER UPDATE OF state ON engine.live FOR EACH ROW
WHEN (
    OLD.state <> NEW.state AND NOT CASE OLD.state
        WHEN 'scheduled' THEN NEW.state = 'ready'
        WHEN 'ready'     THEN NEW.state IN ('running', 'scheduled')
        WHEN 'running'   THEN NEW.state IN ('scheduled', 'ready')
        WHEN 'blocked'   THEN NEW.state IN ('ready', 'scheduled')
        ELSE false
    END
) EXECUTE FUNCTION engine.refuse_move();

-- A final state is left only by going back to live (requeue, revive), never for another one; it is
-- reached only from where the table of moves says; and the fence is never lowered.
CREATE TRIGGER jobs_moves AFTER UPDATE ON engine.jobs FOR EACH ROW
WHEN (
    (OLD.state IS NOT NULL AND NEW.state IS NOT NULL AND OLD.state <> NEW.state)
    OR NEW.token < OLD.token
    OR NOT CASE NEW.state
        WHEN 'succeeded' THEN NEW.came_from = 'running'
        WHEN 'dead'      THEN NEW.came_from = 'running'
        WHEN 'cancelled' THEN NEW.came_from < 'succeeded'
        WHEN 'skipped'   THEN NEW.came_from IN ('scheduled', 'ready', 'blocked')
        ELSE NEW.state IS NULL
    END
) EXECUTE FUNCTION engine.refuse_move();

-- Every statement that writes a row opens every index and reads its condition, needed or not: each
-- is 2 % of the price of one enqueue. So one index looks after what two did.
DROP INDEX engine.live_scheduled, engine.live_blocked, engine.live_running, engine.live_leased,
    engine.live_running_grouped;
CREATE INDEX live_waiting ON engine.live (state, due_at) WHERE state IN ('scheduled', 'blocked');
CREATE INDEX live_running ON engine.live (worker, lease_until) WHERE state = 'running';

-- Whoever declares a kind with a group makes sure that the group exists, so that enqueueing need
-- not: one at a time until somebody says otherwise, rather than never.
CREATE FUNCTION engine.add_group() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO engine.groups (name, max_running) VALUES (NEW.group_name, 1) ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;

CREATE TRIGGER kinds_groups AFTER INSERT OR UPDATE ON engine.kinds FOR EACH ROW
WHEN (NEW.group_name IS NOT NULL) EXECUTE FUNCTION engine.add_group();

INSERT INTO engine.groups (name, max_running)
SELECT DISTINCT k.group_name, 1 FROM engine.kinds AS k WHERE k.group_name IS NOT NULL
ON CONFLICT DO NOTHING;
