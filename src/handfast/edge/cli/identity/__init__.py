"""``handfast identity``.

What is in here:

    identity   accounts: find, suspend, reinstate, their sign-ins
    keys       ``keys``: what signs access tokens
"""
