"""The ``handfast`` command.

Exit codes, for scripts: 0 done · 1 unexpected · 2 wrong usage · 3 settings · 4 this machine
(data folder, disk, port) · 5 database · 6 migrations · 7 doctor found something · 130 interrupted.

    app          the commands, and what happens around every one of them
    completion   ``handfast completion``
    processes    commands that run until they are stopped: up, demo, api, worker, scheduler
    jobs         jobs, dead letters, schedules, gaps
    runs         match runs and the corpus
    fixtures     fixtures
    ledger       money
    stakes       the staked queue, and its games
    webhooks     webhooks, on both sides
    offers       daily offers: by hand, replayed, explained, compared
    people       users, and people who do not exist
    safety       reports, decisions, appeals
    identity     accounts, sign-ins, signing keys
    database     migrate, doctor, config, psql, backup, restore, server
    speaking     how all of them read ids and print
"""

from handfast.base.extras import extra

with extra("cli"):
    from handfast.edge.cli.app import main

__all__ = ["main"]
