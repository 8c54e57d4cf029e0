"""Working: from a claim to the end of an attempt.

A worker claims; its executor gives each job a slot and calls the handler; what came of it goes to
the outcomes, which nobody passes by.

Flat because it is one way, walked from the top to the bottom.

    worker        claim, run, finish, overlapped; start and stop
    claim_cursor  where the next claim begins to look, and which kinds and versions it names
    wakeups       what a sleeping worker is told, and whether it is for this one
    lease         claiming, finishing, failing: the worker's side of the tables
    heartbeat     the thread that keeps the lease, whatever the handlers do
    executor      running claimed jobs, many at once
    slots         the places in which they run: how they are given out, and taken back
    attempt       a running attempt, as its handler sees it, and how it ends
    context       what the handler of one job is given: an attempt, and a transaction that ends it
    batch         handlers that take many jobs in one call, and end them in one transaction
    shared_completion  handlers that begin apart and end their jobs in one transaction
    threads       plain functions, run beside the loop
    outcomes      what the end of an attempt means; written, counted and logged in one way
    finisher      successes, written in batches
    tally         what was done here since the heartbeat last wrote it down
"""
