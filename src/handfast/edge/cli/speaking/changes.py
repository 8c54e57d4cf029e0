"""What somebody changes at the command line: in the audit, under the name of the machine's user."""

import os
import pwd
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from handfast.engine.operating.audit import Actor, Change, recorded
from handfast.engine.system import System


def cli_actor() -> Actor:
    """By the process's own user, and not by what its environment says."""
    user = os.geteuid()
    try:
        return Actor(f"cli:{pwd.getpwuid(user).pw_name}")
    except KeyError:  # a container's user without an account
        return Actor(f"cli:{user}")


@asynccontextmanager
async def changing(
    system: System, action: str, *subjects: str, reason: str | None = None
) -> AsyncIterator[Change]:
    """A transaction, and its rows in the audit. What takes several transactions of its own has this
    one before them: then the audit says that it was begun."""
    async with (
        system.database.transaction() as tx,
        recorded(tx, cli_actor(), action, *subjects, reason=reason) as change,
    ):
        yield change
