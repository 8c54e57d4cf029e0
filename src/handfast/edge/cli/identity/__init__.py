"""``handfast identity``.

What is in here:

    identity   accounts: find, suspend, reinstate, their sign-ins
    checks     what doctor finds out about identity
    keys       ``keys``: what signs access tokens
"""
