"""What stands around the whole application, in the order in which a request meets it.

What is in here:

    bounded   what one connection may cost, before there is a request
    paths     one spelling for each path
    observe   request ids, one log line, metrics
    hosts     a ``Host`` that is none is refused
    heads     HEAD for everything that answers GET
    faults    what goes wrong around the routes is a problem, too
    options   ``OPTIONS``: which methods an address takes
    limits    the limits that the policies of routes name
    keyed     idempotency keys
"""
