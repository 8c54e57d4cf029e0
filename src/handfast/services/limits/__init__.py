"""Rate limits that hold across processes and restarts.

    limit        what is allowed, and what was answered
    postgres     the store that always holds
    redis        the faster one, for limits that may
    limiter      which store decides, and what is counted; the entry
    subject      who is being limited: an address behind trusted proxies, or a principal
    headers      Retry-After, RateLimit, RateLimit-Policy; a refusal as an error
    rules        which requests which limits are for
    middleware   all of it around any ASGI application
    pruning      old rows go, in bounded batches
    metrics      what is counted
    errors       the error of who asked too often
    capability   rate limits as a capability: the API needs them

A limit is a quota that refills evenly: "10 in a minute" gives 10 at once and then one every 6
seconds. It is stored as one instant, when the quota will be whole again (GCRA), so that looking and
taking is one statement on one row.

An exact limit never gives more than its quota in any period. With a quota of up to 100 the row has
the moment of each unit taken, with a larger one it is a bucket of half the size.

Durable limits (the default) are always decided by PostgreSQL and hold whatever happens: what was
given is committed before the answer. Limits that are declared ``durable=False`` are decided by
Redis when there is one; each time Redis loses its memory, or PostgreSQL has to stand in for it, a
subject may get up to one quota more, and that is logged and counted.
"""
