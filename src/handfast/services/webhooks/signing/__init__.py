"""Standard Webhooks v1.

What is in here:

    signature   signatures, made and verified
    secrets     signing secrets: ``whsec_`` and base64
"""
