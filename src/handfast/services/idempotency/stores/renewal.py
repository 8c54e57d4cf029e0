"""Leases are renewed while their handlers live: all of a process in one statement.

A claim that ends within a third of its lease, as nearly all do, costs a dictionary entry.
"""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Protocol

from handfast.base.logs import get_logger
from handfast.db.outage import put_off
from handfast.services.idempotency.stores.store import Call

log = get_logger(__name__)


class LeasingStore(Protocol):
    lease: timedelta

    async def renew(self, claims: Sequence[tuple[Call, int]]) -> set[int]:
        """Prolong leases; answers the tokens that still hold."""


class Renewals:
    def __init__(self, store: LeasingStore) -> None:
        self._store = store
        self._held: dict[Call, tuple[int, float]] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def _period(self) -> float:
        return self._store.lease.total_seconds() / 3

    def hold(self, call: Call, token: int) -> None:
        loop = asyncio.get_running_loop()
        self._held[call] = (token, loop.time())
        if self._timer is None:
            self._timer = loop.call_later(self._period, self._wake)

    def drop(self, call: Call) -> None:
        self._held.pop(call, None)

    def close(self) -> None:
        """Whatever is held is renewed no more."""
        self._held.clear()
        for pending in (self._timer, self._task):
            if pending is not None:
                pending.cancel()

    def _wake(self) -> None:
        """Renew what is older than half a period; what is younger has two more chances."""
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(self._period, self._wake) if self._held else None
        due = loop.time() - self._period / 2
        old = [(call, token) for call, (token, since) in self._held.items() if since <= due]
        if old and (self._task is None or self._task.done()):
            self._task = loop.create_task(self._renew(old))

    async def _renew(self, claims: list[tuple[Call, int]]) -> None:
        try:
            async with asyncio.timeout(self._store.lease.total_seconds()):
                held = await self._store.renew(claims)
        except Exception as error:  # whatever it is, the next round tries again
            put_off(log, "idempotency_renewal_failed", error, claims=len(claims))
            return
        lost = [token for call, token in claims if token not in held and call in self._held]
        if lost:
            # Found out for certain by the record's own fence; until then it is only worth a line.
            log.warning("idempotency_leases_not_renewed", claims=len(lost))
