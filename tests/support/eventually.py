"""Waiting for something that another process does: look often, give up in time."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")

LOOK_EVERY = 0.01
WITHIN = 60.0  # what does come comes at once, but not on a machine that does ten other things


def eventually(look: Callable[[], T], *, within: float = WITHIN) -> T:
    """The first true answer of ``look``; fails when there is none in time."""
    deadline = time.monotonic() + within
    while not (found := look()):
        assert time.monotonic() < deadline, f"still {found!r} after {within} s"
        time.sleep(LOOK_EVERY)
    return found


async def eventually_async(look: Callable[[], Awaitable[T]], *, within: float = WITHIN) -> T:
    deadline = time.monotonic() + within
    while not (found := await look()):
        assert time.monotonic() < deadline, f"still {found!r} after {within} s"
        await asyncio.sleep(LOOK_EVERY)
    return found
