-- Not only events and the outbox: whoever waits for anything may sleep, and be told by its name.
ALTER TABLE handfast_engine.sleepers DROP CONSTRAINT sleeper_waits_for;
ALTER TABLE handfast_engine.sleepers
ADD CONSTRAINT sleeper_waits_for CHECK (waits_for ~ '^[a-z_]{1,40}$');
