"""What the OpenAPI document says beyond what the framework knows.

What is in here:

    keys    idempotency keys, exactly as the middleware has them
    strict  bodies that take no unknown fields say so
    words   texts that are one of few words say which
"""
