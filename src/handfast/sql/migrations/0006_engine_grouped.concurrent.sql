-- What waits in a group, to end all of it at once (engine.withdraw_group). Only grouped jobs pay.
CREATE INDEX CONCURRENTLY live_waiting_grouped ON engine.live (group_name)
    WHERE state = 'scheduled' AND group_name IS NOT NULL;
