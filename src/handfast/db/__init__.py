"""PostgreSQL, and nothing but PostgreSQL: how we start it, reach it, shape it and talk to it. And a
Redis that may vanish.

Rules that the rest of the house relies on:

* The caller owns the transaction. Nothing here commits behind anyone's back, and only
  ``run_in_transaction`` ever runs a function twice.
* SQL lives in ``sql/``; Python names a statement and says what its rows look like.
* The database's clock decides.

Flat because each module is one part of a single subject, the way to the database and back.

    connect               how we reach a database, and what we say when we cannot
    server_facts          what the server says of itself
    rights                a login that may not do what we need is told what to run
    pool                  the pool, and the two ways to run a transaction
    connection_cache      connections that were used a moment ago and are wanted again
    dedicated_connection  one beside the pool, for what must not wait for it
    transaction           a transaction that somebody owns
    open_transaction      one whose beginning and end are in different places
    notices               NOTIFY after the commit, where the commit is ours
    statements            named statements of ``sql/queries`` with typed rows
    templates             statements whose text is whole only when they are run
    constraints           named constraints become named errors
    batcher               many askers, one statement
    listen                LISTEN, on a connection that is made again whenever it breaks
    outage                whether the database is away, and the one voice that says so
    redis_address         what REDIS_URL may be: one server, TLS, a socket, Sentinels
    redis                 the one guard of Redis: time limits, circuit, scripts, odd answers
    migrations            bringing a database to the schema that this code needs
    embedded              the bundled PostgreSQL, started when somebody needs it
    errors                errors of the database, and of our way to it
"""
