-- What two tickets of one session must have in common: its stake and its currency. Tickets name them.
ALTER TABLE handfast_stakes.game_sessions
ADD CONSTRAINT session_stake UNIQUE (id, stake, currency);
