-- What runs in a group, to know whether it has room, and what waits in it, to end all of it at once
-- (engine.withdraw_group). Only grouped jobs pay.
CREATE INDEX CONCURRENTLY live_grouped ON engine.live (group_name, state)
    WHERE group_name IS NOT NULL AND state <> 'ready';
