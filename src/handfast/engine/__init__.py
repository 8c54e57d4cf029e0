"""Durable jobs that happen exactly once.

A job is known by its identity, ``(kind, key)``, for ever. Enqueueing an identity again answers the
first job. A worker claims jobs in batches and holds them on a *lease*: a loan that the database may
call in when the worker falls silent. Each claim raises the job's *token*, and every write that ends
an attempt names it, so a worker that comes back too late changes nothing.

The engine knows nothing of matches, money or fixtures. What must be atomic is a SQL function
(``sql/functions/engine``), so that a program in any language can take part; Python is one caller.

    states      the one table of moves
    kinds       what a program declares: a handler, its payload, its policy
    retry       failure classes and policies, as data
    options     what holds for a job besides its identity, payload and due time
    enqueue     jobs in, in the caller's transaction
    lease       claiming, finishing, failing: the worker's side of the tables
    context     what a handler is given
    executor    running claimed jobs, many at once
    batch       handlers that take many jobs in one call
    outcomes    how attempts end: one way for all of them
    finisher    successes, written in batches
    faults      what went wrong, in words that can be stored
    threads     plain functions, run beside the loop
    heartbeat   the thread that keeps the lease, whatever the handlers do
    worker      claim, run, finish, overlapped; start and stop
    zones       local times and instants, by the pinned tables
    cron        reading cron expressions
    timeline    when a schedule ticks
    catch_up    what becomes of ticks that were missed
    schedule    what a program declares: something that recurs
    schedule_store   schedules in the database, and what every surface shows of them
    look        what is due of one schedule at one instant
    scheduler   firing ticks, once each
    keeping     a worker and a scheduler of one lane together
    janitor     the engine's own housekeeping: rescue, due times, urgency, old history

What operators see and do:

    views         lists and single jobs, workers; bounded reads
    stats         how it is doing, at a cost that does not grow
    operations    cancel, retry, revive, anchors
    dead_letters  list, requeue, discard
    gaps          what is expected and does not exist, and its repair
    alerts        thresholds, raised once and cleared with hysteresis
    figures       the metrics that are read from the database
    feed          events and statistics as they come
    chores        what one worker of many does every minute or every hour
"""
