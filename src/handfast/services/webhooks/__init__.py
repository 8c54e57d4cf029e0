"""Events delivered to other people's endpoints, at least once, signed.

A delivery is a job of the engine. Whoever emits an event leaves a row in the engine's outbox, in
the same transaction; the relay makes deliveries of such rows, each once. What the database
guarantees is in ``sql/functions/webhooks``: relaying, recording attempts, stopping an endpoint,
replays. What an event looks like is said in ``engine/event_envelope.py``.

    endpoints   where to: register, change, pause, resume, rotate, remove
    metrics     what is counted, and the alert
    sending     signing, posting, and what becomes of each attempt
    receiving   the other side, for programs that get our webhooks
    signing     Standard Webhooks v1, and the secrets
    connections  what a job is to the webhooks, and who is sent an event
    errors      errors of webhooks
    settings    settings of webhooks
    capability  webhooks as a capability
"""
