"""Durable jobs that happen exactly once.

A job is known by its identity, ``(kind, key)``, for ever. Enqueueing an identity again answers the
first job. A worker claims jobs in batches and holds them on a *lease*: a loan that the database may
call in when the worker falls silent. Each claim raises the job's *token*, and every write that ends
an attempt names it, so a worker that comes back too late changes nothing.

The engine knows nothing of matches, money or fixtures. What must be atomic is a SQL function
(``sql/functions/engine``), so that a program in any language can take part; Python is one caller.

    jobs            what a job is: its states, kinds, options, retries; and how it gets in
    work            claiming jobs, running them, ending them
    schedules       what recurs, and the jobs that its ticks make
    maintenance     the engine's own housekeeping, done by whichever process's turn it is
    gaps            what is expected and does not exist, and its repair
    operating       what people see of all this, and do about it
    streams         events as they come, for whoever watches
    events          facts that others may want to know, written with what made them true
    outbox          events passed on, outside the transaction that emits them
    sleeper         who waits for something says so, and is told only then
    event_envelope  what an event looks like outside
    crew            who works on which lanes of a process: a value
    host            everything of the engine that goes on in a process, once
    capability      what a capability is: one value that says everything of it
    hooks           facts and hooks: how capabilities act together
    kept_secrets    what development makes once and keeps in the data folder
    errors          errors of jobs, how they are declared and enqueued, and of capabilities
    system          what a process works with
"""
