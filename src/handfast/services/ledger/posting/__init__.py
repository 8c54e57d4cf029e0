"""Transfers and holds.

commands  transfers in the caller's transaction, many at once or one
holds     money that is set aside: settle, release, expire
alone     one statement that commits by itself
gate      who needs a contended account waits in the process, and is combined with others
"""
