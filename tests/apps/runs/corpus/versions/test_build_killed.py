"""A builder killed with SIGKILL, anywhere: readers notice nothing, the next builder cleans up."""

import signal
import subprocess
import sys

import pytest

from handfast.apps.runs.corpus.rebuild import rebuild
from handfast.apps.runs.corpus.versions.publish import publish
from handfast.apps.runs.corpus.versions.versions import current_version, list_versions
from handfast.apps.runs.errors import CorpusBusy
from handfast.db.pool import Database
from tests.support.corpus_files import generated, pairs, tables
from tests.support.eventually import eventually_async

POINTS = [
    "before:copy",
    "within:copy",
    "after:copy",
    "after:index",
    "before:_vacuum",
    "after:_vacuum",
    "before:_attach",
    "within:attach",
    "within:switch",
]


@pytest.mark.parametrize("point", POINTS)
async def test_killed(database: Database, dsn: str, point: str) -> None:
    first = await generated(database)
    before = await pairs(database, first)
    builder = subprocess.Popen(
        [sys.executable, "-m", "tests.support.corpus_builder", dsn, point],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert builder.stdout is not None
        lines = iter(builder.stdout)
        assert any(line.strip() == point for line in lines), "it got as far as that"
        if point != "within:switch":
            with pytest.raises(CorpusBusy):
                await rebuild(database.target)
    finally:
        builder.send_signal(signal.SIGKILL)
        builder.communicate()

    async with database.connection() as connection:
        assert await current_version(connection) == first
    assert await pairs(database, first) == before

    async def next_one() -> int | None:
        """The dead one's lock goes when the server notices."""
        try:
            return (await rebuild(database.target, keep=10)).version
        except CorpusBusy:
            return None

    again = await eventually_async(next_one, within=60)
    assert again is not None
    async with database.connection() as connection:
        states = {v.version: v.state for v in await list_versions(connection)}
    killed = again - 1
    # A version that was whole before its builder died is whole, and nobody was switched to it.
    assert states[killed] == ("built" if point == "within:switch" else "retired")
    left = {int(name.rpartition("_v")[2]) for name in await tables(database)}
    assert left == {version for version, state in states.items() if state != "retired"}
    assert (await publish(database, again)).switched is not None
    assert await pairs(database, again) == before
