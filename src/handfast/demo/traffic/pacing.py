"""How long between two of something: about so long, never exactly."""

import asyncio
import random
from collections.abc import AsyncIterator

CHANCE = random.Random()  # noqa: S311  # no secret


async def about_every(seconds: float) -> AsyncIterator[None]:
    """At once, and then again and again."""
    while True:
        yield
        await asyncio.sleep(seconds * CHANCE.uniform(0.6, 1.4))


def one_in(many: int) -> bool:
    return CHANCE.randrange(many) == 0
