-- Every transaction of this database that has written and is older than the horizon has ended: what it
-- has committed is visible, and nothing comes later. In other databases of the server transactions run
-- that are no concern of ours; one that cannot be found (prepared, or just ended) may be ours.
CREATE OR REPLACE FUNCTION handfast_engine.commit_horizon(p_snapshot pg_snapshot) RETURNS xid8
LANGUAGE sql STABLE AS $$
    SELECT coalesce(
        (
            SELECT x.running FROM pg_snapshot_xip(p_snapshot) AS x(running)
            WHERE NOT EXISTS (
                SELECT 1 FROM pg_stat_activity AS a
                WHERE a.backend_xid = x.running::xid AND a.datname <> current_database()
            )
            ORDER BY x.running LIMIT 1
        ),
        pg_snapshot_xmax(p_snapshot)
    )
$$;
