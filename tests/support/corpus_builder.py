"""A builder as a process of its own, which stops at a point to be killed there.

python -m tests.support.corpus_builder DSN POINT
"""

import asyncio
import sys
import time
from collections.abc import Iterator
from typing import Any

from handfast.apps.runs.corpus.rebuild import rebuild
from handfast.apps.runs.corpus.versions import build as building_module
from handfast.apps.runs.corpus.versions.build import Build
from handfast.apps.runs.corpus.versions.parts import CorpusPart
from handfast.apps.runs.corpus.versions.publish import check, conclude
from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.db.transaction import Transaction


def reached(point: str) -> None:
    print(point, flush=True)  # noqa: T201


async def for_ever() -> None:
    await asyncio.sleep(3600)


def stop_at(point: str) -> None:
    """Let a method of the build stop before or after its work."""
    when, name = point.split(":")
    method = getattr(Build, name)

    async def stopping(self: Build, *words: Any) -> Any:
        if when == "before" and (not words or words[0] is CorpusPart.MATCHES):
            reached(point)
            await for_ever()
        done = await method(self, *words)
        if when == "after" and (not words or words[0] is CorpusPart.MATCHES):
            reached(point)
            await for_ever()
        return done

    setattr(Build, name, stopping)


def stop_within_copy() -> None:
    """In the middle of a COPY: some rows are sent, the rest never comes."""
    copy = Build.copy

    async def slowly(self: Build, part: CorpusPart, rows: Any) -> None:
        def some() -> Iterator[Any]:
            for at, row in enumerate(rows):
                if at == 100:
                    reached("within:copy")
                    time.sleep(3600)
                yield row

        await copy(self, part, some() if part is CorpusPart.MATCHES else rows)

    Build.copy = slowly  # type: ignore[method-assign]


async def stop_within_attach(self: Build) -> bool:
    """All three are attached and the row says so, and the transaction is not committed."""
    async with self.database.transaction() as tx:
        assert await building_module._ATTACH.one(tx, self.version)
        reached("within:attach")
        await for_ever()
    return True


async def switching(dsn: str, version: int) -> None:
    """The verdict is written and readers are switched, and the transaction is not committed."""
    async with await Database.open(Target(dsn)) as database:
        verdict = await check(database, version)
        async with database.transaction() as tx:
            assert isinstance(tx, Transaction)
            await conclude(tx, verdict)
            reached("within:switch")
            await for_ever()


async def main(dsn: str, point: str) -> None:
    if point == "within:copy":
        stop_within_copy()
    elif point == "within:attach":
        Build._attach = stop_within_attach  # type: ignore[method-assign]
    elif point != "within:switch":
        stop_at(point)
    built = await rebuild(Target(dsn), keep=10)
    if point == "within:switch":
        await switching(dsn, built.version)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
