"""The database, the machine and the settings.

What is in here:

    migrate   ``handfast migrate``
    doctor    ``handfast doctor``: is everything in place, and if not, what to do
    config    ``handfast config``
    psql      ``handfast psql``
    backup    ``handfast backup`` and ``handfast restore``
    server    ``handfast server``: the embedded PostgreSQL itself
    findings  what doctor finds out, one thing at a time
"""
