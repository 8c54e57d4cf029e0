"""Match runs: which investors suit this startup, answered from a corpus that no run ever writes.

A run is a job of the engine; the SQL functions in ``sql/functions/runs`` are facades over it, so
that any PostgreSQL client can start, work and read runs. The corpus has versions, each whole; a run
names the version that it answers from.

Flat because it is one subject, a run from its address to its matches; the corpus has its own room.

    facade        what a program holds
    urls          from what somebody typed to the one spelling of it
    tracking      parameters that say nothing about the page
    shared_hosts  hosts that carry many companies: the shipped list, and what users add
    records       runs: started, read, listed, forgotten
    matches       the matches of a ready run, in pages
    explain       why an investor suits a startup, in words
    worker        the six steps, on a pool that can only read
    login         the role of that pool, looked at before it is trusted
    watch         runs as they change, for many who wait
    connections   what a job is to the match runs
    metrics       what is counted of them
    corpus        startups, investors and scored pairs, in whole versions
    errors        errors of match runs and of the corpus that they answer from
    work          who works on match runs and looks after their corpus, as the settings want it
    settings      settings of match runs and their corpus
    capability    match runs as a capability
"""
