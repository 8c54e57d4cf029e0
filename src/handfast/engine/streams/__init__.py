"""Events as they come, for whoever watches: operators, and users.

One hub for a process looks for new events on behalf of any number of streams, at most twice a
second, in one statement for all of them. It has a task, a subscription and a row in the database
only while somebody watches.

    hub               the loop: when to look, and who gets what
    stream            one who watches: what waits to be read, and who never reads is dropped
    operator_streams  all events, in an order in which nothing comes late
    user_streams      what concerns one user, by numbers of its own
    allowance         how often may be looked
    metrics           what is counted
    errors            errors of streams
"""
