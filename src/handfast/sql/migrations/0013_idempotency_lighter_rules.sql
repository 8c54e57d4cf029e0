-- PostgreSQL reads the text of a CHECK, and of a trigger's WHEN, anew for every statement, and a
-- request with a key makes two: what is long is dear. Both become shorter: a record is running while
-- it has a lease, done once it has a status, and free with neither. (That a record expires after its
-- first use is seen to where the time is given: a rule's ttl is more than nothing.)
--
-- The column state repeats that, for processes of the release before, which still ask for it; it is
-- written for them, read by nobody else, and goes with the next release.

ALTER TABLE idempotency.records DROP CONSTRAINT record_form;

ALTER TABLE idempotency.records ADD CONSTRAINT record_form CHECK (
    (lease_until IS NULL OR status IS NULL) AND (response IS NULL OR status IS NOT NULL)
) NOT VALID;  -- what is there kept the stricter rule: nothing to look through under a lock

COMMENT ON COLUMN idempotency.records.lease_until IS 'somebody is at it, at least until then';
COMMENT ON COLUMN idempotency.records.state IS
    'for processes of the release before: a lease says running, a status says done';

DROP TRIGGER records_moves ON idempotency.records;

-- The fence is never lowered; an answer stays until a new first use; only a claim can be answered.
CREATE TRIGGER records_moves AFTER UPDATE ON idempotency.records FOR EACH ROW
WHEN (
    NEW.token < OLD.token
    OR (OLD.status IS NOT NULL AND NEW.first_used_at = OLD.first_used_at)
    OR (OLD.lease_until IS NULL AND NEW.status IS NOT NULL)
) EXECUTE FUNCTION idempotency.refuse_change();
