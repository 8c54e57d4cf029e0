"""Who waits for somebody else's lock, in the database of the connection that asks."""

HOW_MANY_WAIT = (
    "SELECT count(*) FROM pg_stat_activity"
    " WHERE datname = current_database() AND wait_event_type = 'Lock'"
)
