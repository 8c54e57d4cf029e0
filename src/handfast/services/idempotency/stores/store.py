"""What the middleware asks of a store, and what it is told.

A *claim* is the right to carry a request out, as long as its process lives. It has a token that
only ever grows; every write that ends it names the token, so whoever lost the claim changes
nothing. The store keeps a claim alive from ``claim`` until ``record``, ``commit`` or ``release``.
"""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol
from uuid import UUID

import msgspec

from handfast.db.open_transaction import OpenTransaction
from handfast.db.pool import Database, Isolation
from handfast.services.idempotency.answers import KeptAnswer


class Call(msgspec.Struct, frozen=True, eq=False):
    """A request with a key: whose, which, what, and for how long it is remembered. Each is itself
    and equal to no other: comparing them would hash five fields for every look into a table."""

    scope: bytes
    key: UUID
    fingerprint: bytes
    ttl: timedelta
    encrypted: bool = False
    kept: bool = True

    @property
    def name(self) -> bytes:
        """The same for the same request, and what a sealed response is bound to."""
        return self.scope + self.key.bytes + self.fingerprint


class ClaimOutcome(StrEnum):
    EXECUTE = "execute"
    REPLAY = "replay"
    IN_FLIGHT = "in_flight"
    CONFLICT = "conflict"


class ClaimAnswer(msgspec.Struct, frozen=True):
    outcome: ClaimOutcome
    token: int = 0
    expires_at: datetime | None = None
    answer: KeptAnswer | None = None
    taken_over: bool = False
    source: str = "database"


class Released(StrEnum):
    RELEASED = "released"
    DONE = "done"  # this claim had been answered after all
    LOST = "lost"


class Store(Protocol):
    can_seal: bool

    async def database(self) -> Database:
        """Where requests without a key open theirs; raises if this store has none."""

    async def begin(self, isolation: Isolation) -> OpenTransaction:
        """The transaction of a request with a key; ``commit`` ends it."""

    async def claim(self, call: Call) -> ClaimAnswer:
        """Ask for the right to carry the request out: one short commit of its own."""

    async def record(self, call: Call, token: int, answer: KeptAnswer) -> bool:
        """Keep the answer, in a commit of its own; False if the claim is lost."""

    async def commit(self, call: Call, token: int, answer: KeptAnswer, tx: OpenTransaction) -> bool:
        """Keep the answer and commit the request's transaction, both or neither; False, and
        everything is undone, if the claim is lost."""

    async def has_tag(self, call: Call, tag: str) -> bool:
        """Whether a kept answer that was read before still has its tag: nobody dropped it."""

    async def release(self, call: Call, token: int, *, begun: bool) -> Released:
        """Give the claim back, without an answer."""

    def publish(self, call: Call, answer: KeptAnswer | None, expires_at: datetime | None) -> None:
        """The claim has ended, and this is committed: tell whoever waits. A hint, not a promise."""

    async def news(self, call: Call, seconds: float) -> None:
        """Return when there may be news of the call, or after so many seconds."""
