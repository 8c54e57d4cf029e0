"""Redis as a fast path: which line has two who could be paired, without asking the database.

Redis is never trusted. It holds a copy of the lines and proposes; the database takes the oldest of
the line, as it does without Redis. So Redis may be down, empty, stale or full of what somebody else
put there: nobody is lost, nobody is paired twice, and nobody is overtaken.

    scripts    what Redis does in one step
    lines      the lines as Redis has them: its keys, and its answers read
    mirror     Redis is told what the database says, after each commit and by comparing
    path       pairs from what Redis proposes, and falls back and returns by itself
"""
