"""Where claims and answers are kept: PostgreSQL as the truth, Redis in front of it or alone.

What is in here:

    store                what the middleware asks of a store, and what it is told
    postgres             the store of record, with an optional cache in front
    claims               the claims of many requests in one round trip
    record_with_commit   the record, sent together with COMMIT
    server_process       this process as others see it: until when it is believed to live
    renewal              leases of handlers that take long, in Redis
    tags                 answers that belong to something, and end with it
    retention            expired records are deleted
    background           work that nobody waits for
    encryption           encryption of kept responses
    redis_cache          Redis in front of PostgreSQL, never believed
    redis                for applications without PostgreSQL, with a window that it documents
"""
