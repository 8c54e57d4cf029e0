"""``handfast stakes`` and ``handfast sessions``.

stakes     who waits, a ticket, the log of pairing, a check
sessions   games and disputes
checks     what doctor finds out
"""
