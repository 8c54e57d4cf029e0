"""The states of a job, and the one table of moves between them.

The database enforces the same table (a trigger on ``handfast_engine.live``, a check on
``handfast_engine.jobs``);
``tests/engine/jobs/test_states.py`` tries every pair there and compares.
"""

from enum import StrEnum


class JobState(StrEnum):
    SCHEDULED = "scheduled"
    READY = "ready"
    RUNNING = "running"
    BLOCKED = "blocked"
    SUCCEEDED = "succeeded"
    CANCELLED = "cancelled"
    SKIPPED = "skipped"
    DEAD = "dead"

    @property
    def final(self) -> bool:
        return self in FINAL


FINAL = frozenset({JobState.SUCCEEDED, JobState.CANCELLED, JobState.SKIPPED, JobState.DEAD})

MOVES: dict[JobState, frozenset[JobState]] = {
    JobState.SCHEDULED: frozenset({JobState.READY, JobState.CANCELLED, JobState.SKIPPED}),
    # Back to scheduled when its anchor moves into the future.
    JobState.READY: frozenset(
        {JobState.RUNNING, JobState.SCHEDULED, JobState.CANCELLED, JobState.SKIPPED}
    ),
    JobState.RUNNING: frozenset(
        {
            JobState.SUCCEEDED,
            JobState.SCHEDULED,  # a retry later
            JobState.READY,  # rescued, or handed back
            JobState.CANCELLED,
            JobState.DEAD,
        }
    ),
    JobState.BLOCKED: frozenset(
        {JobState.READY, JobState.SCHEDULED, JobState.CANCELLED, JobState.SKIPPED}
    ),
    JobState.DEAD: frozenset({JobState.READY}),  # requeue
    # Only by an explicit revive; blocked again if a prerequisite has still not succeeded.
    JobState.SUCCEEDED: frozenset({JobState.SCHEDULED, JobState.BLOCKED}),
    JobState.CANCELLED: frozenset({JobState.SCHEDULED, JobState.BLOCKED}),
    JobState.SKIPPED: frozenset({JobState.SCHEDULED, JobState.BLOCKED}),
}
