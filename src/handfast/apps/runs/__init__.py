"""Match runs: which investors suit this startup, answered from a corpus that no run ever writes.

A run is a job of the engine; the SQL functions in ``sql/functions/runs`` are facades over it, so
that any PostgreSQL client can start, work and read runs. The corpus has versions, each whole; a run
names the version that it answers from.

    urls        from what somebody typed to the one spelling of it
    hosts       hosts that carry many companies: the shipped list, and what users add
    records     runs: started, read, listed, forgotten
    matches     the matches of a ready run, in pages
    explain     why an investor suits a startup, in words
    worker      the six steps, on a pool that can only read
    login       the role of that pool, looked at before it is trusted
    watch       runs as they change, for many who wait
    match_runs  what a program holds
"""
