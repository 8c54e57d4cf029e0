"""What the engine does by itself, now and then, so that nobody needs a cron for it.

Everything here is a ``Chore``, and one loop for each process does them.

    chores      the value, the turns of the fleet, and the loop
    janitor     what time does to jobs: due, rescued, escalated; the one poll of a process
    pace        how long a process may sleep before it looks for itself
    retention   days of history made ahead, and dropped when they are old
    gap_repair  what is expected and does not exist is made up for, every hour and on start
"""
