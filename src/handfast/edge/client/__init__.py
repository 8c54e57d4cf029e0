"""Calls that are retried when that is safe, and only then.

    budget        how many retries a whole process may make
    policy        which answers are worth another attempt, and when
    library       httpx2 and httpx, told apart by the request
    retrying      one call, several attempts
    transport     the same as a transport for any client of httpx2 or httpx
    webhooks      its webhook routes
    client        Handfast's own API; answers are typed by ``edge/api`` and the engine's views
    errors        errors of a call that we made to another server

Programs import all of it from ``handfast.client``.
"""
