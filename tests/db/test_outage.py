"""What counts as away, and the one voice that says so."""

from typing import Any

import asyncpg
import pytest
import structlog

from handfast.db.errors import DatabaseUnreachable
from handfast.db.outage import AWAY, PASSING, ConnectionLost, Outage
from handfast.db.pool import Database
from handfast.engine.errors import KindInvalid
from tests.support.eventually import eventually_async


@pytest.mark.parametrize(
    "error",
    [
        ConnectionRefusedError(),
        TimeoutError(),
        DatabaseUnreachable("gone"),
        asyncpg.ConnectionDoesNotExistError(),
        asyncpg.CannotConnectNowError(),
        asyncpg.AdminShutdownError(),
        asyncpg.CrashShutdownError(),
        asyncpg.TooManyConnectionsError(),
    ],
    ids=lambda error: type(error).__name__,
)
def test_away(error: Exception) -> None:
    assert isinstance(error, AWAY)
    assert isinstance(error, PASSING)


@pytest.mark.parametrize(
    "error",
    [
        KindInvalid("no"),
        asyncpg.UndefinedTableError(),
        asyncpg.InsufficientPrivilegeError(),
        asyncpg.DataError(),
        asyncpg.DiskFullError(),
        asyncpg.InterfaceError("another operation is in progress"),
        asyncpg.DatabaseDroppedError(),
    ],
    ids=lambda error: type(error).__name__,
)
def test_what_will_not_go_away(error: Exception) -> None:
    assert not isinstance(error, PASSING)


async def test_a_lost_connection_is_told_from_a_wrong_use(database: Database) -> None:
    async with database.connection() as other:
        with pytest.raises(ConnectionLost):
            async with database.connection() as connection:
                pid = connection.get_server_pid()
                await other.execute("SELECT pg_terminate_backend($1, 30000)", pid)

                async def noticed() -> bool:
                    try:
                        await connection.execute("SELECT 1")
                    except asyncpg.InterfaceError:
                        raise
                    except (asyncpg.PostgresError, OSError):
                        return False
                    return False

                await eventually_async(noticed)
    with pytest.raises(asyncpg.DataError) as wrong:
        async with database.connection() as connection:
            await connection.execute("SELECT $1::int", "not a number")
    assert not isinstance(wrong.value, PASSING)


def test_one_line_when_it_goes_some_while_it_is_gone_and_one_when_it_is_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 1000.0
    monkeypatch.setattr("handfast.db.outage.time.monotonic", lambda: now)
    voice = Outage()
    with structlog.testing.capture_logs() as lines:
        for _ in range(800):  # a hundred seconds, and eight loops a second that notice
            voice.noticed(ConnectionRefusedError("nobody listens"))
            now += 0.125
        voice.answered()  # of one that was on its way
        now += 2
        for _ in range(10):
            voice.answered()
        voice.noticed(ConnectionRefusedError("again"))
    said: list[tuple[Any, ...]] = [(line["event"], line.get("seconds")) for line in lines]
    assert said == [
        ("database_away", None),
        ("database_still_away", 30.0),
        ("database_still_away", 60.0),
        ("database_still_away", 90.0),
        ("database_back", 102.0),
        ("database_away", None),
    ]
