"""The floor: what everything else may use, and which uses nothing of ours.

Nothing in here knows of a database, a job or a request.

Flat because each module is one small mechanism with a name of its own; no two make a subject.

    errors        every error that we raise on purpose, in one tree
    extras        what is installed only when it is asked for, and what to type when it is missing
    problems      refusals as RFC 9457 problems: one value, one encoder, one plain ASGI sender
    settings      what the environment says, read and validated once
    logs          structured logs: text for people, JSON lines for machines
    telemetry     metrics and traces
    supervise     work that goes on as long as its process does, and never ends without a word
    clock         instants are UTC and aware; decisions are taken by the database's clock
    ids           identifiers and tokens that we make ourselves
    tokens        tokens of people and programs that operate this
    masking       what may be shown of addresses that hold secrets
    text          text that PostgreSQL can store, and text that a terminal can show
    words         texts that are one of few words
    values        reading one value that somebody gave, or saying why it cannot be read
    csv_records   CSV as RFC 4180 has it, the broken records too
    pages         lists in pages: bounds, cursors, whether more follow
    routes        path templates, and the one way to compare a path with them
    retry_after   ``Retry-After`` in both of its forms
"""
