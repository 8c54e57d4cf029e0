"""Calls that are retried when that is safe, and only then.

    retry_after   what a server's ``Retry-After`` means
    budget        how many retries a whole process may make
    policy        which answers are worth another attempt, and when
    library       httpx2 and httpx, told apart by the request
    retrying      one call, several attempts
    transport     the same as a transport for any client of httpx2 or httpx
    webhooks      its webhook routes
    client        Handfast's own API; answers are typed by ``answers`` and the engine's views

Programs import all of it from ``handfast.client``.
"""
