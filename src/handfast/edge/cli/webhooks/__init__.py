"""``handfast webhooks``.

What is in here:

    webhooks   endpoints, what was sent to them, sending again
    listen     ``listen``: print and verify what arrives
    inbox      ``inbox-sql``: the table that a receiver needs
    checks     what doctor finds out about webhooks
"""
