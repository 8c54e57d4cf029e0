"""Events delivered to other people's endpoints, at least once, signed.

A delivery is a job of the engine, made by a trigger in the transaction that emits the event: there
is no moment at which one is stored and the other is not. What the database guarantees is in
``sql/functions/webhooks``: fan-out, recording attempts, stopping an endpoint, replays.

Sending:

    endpoints     where to: register, change, pause, resume, rotate, remove
    envelope      the body, the same bytes at every attempt
    deliverer     the worker that signs and posts
    verdict       what an answer means
    gather        many askers, one statement
    recorder      outcomes, written with the jobs that they end
    log           the log of attempts
    replays       sending again, because somebody asks
    metrics       what is counted, and the alert
    outbound      one POST within bounds; endpoint_url, addresses, guard, connections under it
    signature     Standard Webhooks v1, and the secrets

Receiving: receiver, inbox, asgi.
"""
