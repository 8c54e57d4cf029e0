"""Worker processes that come and go, most of them not of their own will."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from handfast.edge.stopping import SLACK_SECONDS
from tests.support.forked_workers import GRACE

FREEZE_SECONDS = 2.6  # the lease is a second, and rescue looks every second
GRACE_SLACK = SLACK_SECONDS + 6.0  # for a processor that others use too
ROOT = Path(__file__).parents[2]


class WorkerProcesses:
    """Always as many as ``size``, whatever becomes of them."""

    def __init__(self, dsn: str, size: int, chance: random.Random, *, webhooks: bool) -> None:
        self._size = size
        self._chance = chance
        self._nursery = subprocess.Popen(
            [sys.executable, "-m", "tests.support.forked_workers", dsn, *(["webhooks"] * webhooks)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        )
        self.running: list[int] = []
        self.frozen: dict[int, float] = {}
        self.leaving: dict[int, float] = {}
        self.overstayed: list[int] = []  # who was still there after the grace period

    def start(self) -> int:
        assert self._nursery.stdin is not None
        assert self._nursery.stdout is not None
        skew, seed = self._chance.uniform(-86400, 86400), self._chance.getrandbits(32)
        self._nursery.stdin.write(f"{skew} {seed}\n")
        self._nursery.stdin.flush()
        pid = int(self._nursery.stdout.readline())
        self.running.append(pid)
        return pid

    def signal(self, pid: int, what: signal.Signals) -> None:
        with suppress(ProcessLookupError):  # it may have killed itself
            os.kill(pid, what)

    def kill(self, pid: int) -> None:
        self.running.remove(pid)
        self.frozen.pop(pid, None)
        self.signal(pid, signal.SIGKILL)

    def freeze(self, pid: int) -> None:
        self.running.remove(pid)
        self.frozen[pid] = time.monotonic() + FREEZE_SECONDS
        self.signal(pid, signal.SIGSTOP)

    def thaw_due(self) -> None:
        for pid, until in list(self.frozen.items()):
            if time.monotonic() > until:
                del self.frozen[pid]
                self.running.append(pid)
                self.signal(pid, signal.SIGCONT)

    def ask_to_leave(self, pid: int) -> None:
        self.running.remove(pid)
        self.leaving[pid] = time.monotonic() + GRACE + GRACE_SLACK
        self.signal(pid, signal.SIGTERM)

    def all_have_left(self) -> bool:
        """Of those who were asked to. Who has stayed too long is noted, and waited for no more."""
        for pid, until in list(self.leaving.items()):
            if not _lives(pid):
                del self.leaving[pid]
            elif time.monotonic() > until:
                del self.leaving[pid]
                self.overstayed.append(pid)
                self.signal(pid, signal.SIGKILL)
        return not self.leaving

    def bury_the_dead(self) -> None:
        self.running = [pid for pid in self.running if _lives(pid)]

    def fill(self) -> None:
        self.bury_the_dead()
        while len(self.running) < self._size:
            self.start()

    def end(self) -> None:
        for pid in [*self.frozen, *self.running, *self.leaving]:
            self.signal(pid, signal.SIGKILL)
        assert self._nursery.stdin is not None
        assert self._nursery.stdout is not None
        self._nursery.stdin.close()
        self._nursery.wait(10)
        self._nursery.stdout.close()


def _lives(pid: int) -> bool:
    with suppress(ProcessLookupError):
        os.kill(pid, 0)
        return True
    return False


@contextmanager
def open_worker_processes(
    dsn: str, size: int, chance: random.Random, *, webhooks: bool = False
) -> Iterator[WorkerProcesses]:
    fleet = WorkerProcesses(dsn, size, chance, webhooks=webhooks)
    try:
        yield fleet
    finally:
        fleet.end()
