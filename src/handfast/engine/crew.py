"""A crew: who works on which lanes of a process, and what belongs to it. Values only.

A capability gives a crew: its kinds, how many of its jobs run at once, its schedules and its
chores. A ``Host`` puts the crews of a process to work. Each crew has places of its own, so that one
whose jobs are slow takes none from another.
"""

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from handfast.db.listen import Listener
from handfast.engine.jobs.kinds import Kind, Kinds, payload_of
from handfast.engine.jobs.retry import Retry
from handfast.engine.maintenance.chores import Chore
from handfast.engine.outbox import Relay
from handfast.engine.schedules.catch_up import CatchUp
from handfast.engine.schedules.declared import DeclaredSchedules, Schedule, cron_spec

HORIZON = timedelta(days=90)  # as long as ticks are kept: no older one can come again


@dataclass(frozen=True)
class WorkerOptions:
    """How a crew works. Without lanes it works on nothing; its schedules are fired all the same."""

    lanes: tuple[str, ...] = ("default",)
    concurrency: int = 50
    batch_max: int = 2000  # a statement for 1000 jobs costs a tenth more for each of them
    batch_min: int = 1  # to claim at once, where whole batches wait beside single jobs
    lease: timedelta = timedelta(minutes=5)
    name: str = ""  # as operators see it; by default that of the machine and the process


@dataclass(frozen=True)
class CrewLoop:
    """What goes on as long as the crew works, beside its jobs. ``run`` is given the listener of the
    process, or None where notifications are off, and in how many seconds to look for itself then;
    it ends when it is cancelled, and is begun again when it fails."""

    name: str
    run: Callable[[Listener | None, float], Coroutine[Any, Any, None]]


@dataclass(frozen=True)
class Crew:
    """``begin`` is awaited before anybody of the process claims a job; ``around`` is open as long
    as the crew may run something: what its handlers need."""

    kinds: Kinds
    options: WorkerOptions = WorkerOptions()
    groups: Mapping[str, int] = field(default_factory=dict)
    schedules: DeclaredSchedules = field(default_factory=DeclaredSchedules)
    chores: Sequence[Chore] = ()
    relays: Sequence[Relay] = ()
    loops: Sequence[CrewLoop] = ()
    begin: Callable[[], Awaitable[Any]] | None = None
    around: Callable[[], AbstractAsyncContextManager[Any]] | None = None

    @property
    def lanes(self) -> tuple[str, ...]:
        return self.options.lanes

    @property
    def places(self) -> int:
        """How many jobs can begin at once, whichever they are: more where all kinds are batches."""
        return self.options.concurrency * min((kind.batch or 1 for kind in self.kinds), default=1)


def scheduled_kind(
    name: str, lane: str, handler: Callable[..., Awaitable[Any]], *, timeout: float
) -> Kind:
    """A job that a schedule enqueues: each tick has its own, so identities may be forgotten."""
    return Kind(
        name=name,
        handler=handler,
        payload=payload_of(handler),
        lane=lane,
        retry=Retry.default,
        timeout=timeout,
        horizon=HORIZON,
    )


def cron_schedule(name: str, kind: Kind, cron: str) -> Schedule:
    """Of ticks that were missed only the last: it does what there is to do now."""
    return Schedule(name, kind, cron_spec(cron, "UTC", CatchUp.latest))
