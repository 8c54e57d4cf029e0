-- A line is of one stake and one currency: who staked before the setting was changed waits in another.
-- Removed at once and not a release later: no release has had it.
CREATE INDEX tickets_waiting ON handfast_stakes.matchmaking_queue (stake_amount, currency, line)
    WHERE status = 'queued';
DROP INDEX handfast_stakes.tickets_in_line;

-- Also what is paired by hand is of one stake and one currency.
ALTER TABLE handfast_stakes.matchmaking_queue DROP CONSTRAINT ticket_session;
ALTER TABLE handfast_stakes.matchmaking_queue
ADD CONSTRAINT ticket_session FOREIGN KEY (session_id, stake_amount, currency)
REFERENCES handfast_stakes.game_sessions (id, stake, currency);

ALTER TYPE handfast_stakes.line_window ADD ATTRIBUTE refused bigint[], ADD ATTRIBUTE refused_lines bigint[];

DROP FUNCTION IF EXISTS handfast_stakes.take_line(bigint, integer, timestamptz);
