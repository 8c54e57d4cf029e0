-- Who sleeps is said where all who sleep say so (handfast_engine.sleepers); here is who is there.
-- Removed at once and not a release later: no release has had them.
ALTER TABLE handfast_stakes.matchmakers DROP COLUMN asleep_until;

DROP FUNCTION IF EXISTS handfast_stakes.wake_matchmakers();
