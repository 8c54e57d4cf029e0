"""Guarantees that several capabilities share, one package each, in two layers.

Below, and knowing none of the others:

    outbound     guarded HTTP to other people's servers
    limits       how often somebody may ask
    idempotency  a request that is repeated is carried out once

Above, which may use those below and know none of their own layer:

    identity     accounts by phone, sign-ins, tokens
    ledger       money: transfers that balance, holds that are resolved once, seals
    webhooks     events delivered to other people's endpoints, and received from others
"""
