"""``handfast doctor``: is everything in place, and if not, what to do."""

import asyncio
import platform
import shutil
import sys
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from functools import partial
from typing import TypeVar

from rich.text import Text

from handfast.base.errors import HandfastError
from handfast.base.settings import Settings, about, unknown_variables
from handfast.db.connect import connect
from handfast.db.embedded import find_binaries
from handfast.db.embedded.folder import DataFolder
from handfast.db.errors import RedisAway
from handfast.db.migrations.files import FACE
from handfast.db.migrations.migrate import status
from handfast.db.migrations.search_path import advice, reaching_paths
from handfast.db.redis import GuardedRedis
from handfast.db.server_facts import read_server
from handfast.edge.cli.database.findings import Finding, FindingLevel
from handfast.edge.cli.speaking.listing import Listing
from handfast.edge.cli.speaking.options import DataDir, Json
from handfast.edge.cli.speaking.output import OUT, as_started, print_json
from handfast.engine.capability import each
from handfast.engine.system import System
from handfast.wiring import every_setting, load_settings, open_system, prepare_process

DOCTOR_EXIT_CODE = 7
DISK_FREE_WANTED = 1 << 30  # a day of write-ahead log and some history fit into a gigabyte
REDIS_SECONDS = 3.0  # a person waits here, and wants to know of a slow one too
CLOCK_SKEW_WANTED = 2.0  # seconds; decisions use the database's clock, but logs should agree


def doctor(*, data_dir: DataDir = None, json: Json = False) -> int:
    """Check this machine, the database and the settings, and explain what is wrong.

    Starts the embedded PostgreSQL if that is what would be used. Exits with 7 if anything is bad.
    """
    settings = load_settings(data_dir=data_dir)
    prepare_process(settings)
    findings = asyncio.run(_examine(settings))
    if json:
        print_json({"findings": findings, "ok": _all_well(findings)})
    else:
        _print_findings(findings)
    return 0 if _all_well(findings) else DOCTOR_EXIT_CODE


def _all_well(findings: list[Finding]) -> bool:
    return all(finding.verdict is not FindingLevel.BAD for finding in findings)


F = TypeVar("F", bound="Finding | None")


async def _examine(settings: Settings) -> list[Finding]:
    findings = [_python(), _settings()]
    if settings.embedded:  # with a server of the user's own, nothing here depends on this disk
        findings += [
            _guarded("embedded binaries", lambda: _binaries(settings)),
            _guarded("data folder", lambda: _data_folder(settings)),
            _guarded("disk", lambda: _disk(settings)),
        ]
    findings += await _database(settings, explained=not _all_well(findings))
    findings.append(await _redis(settings))
    return findings


def _guarded(check: str, examine: Callable[[], Finding]) -> Finding:
    try:
        return examine()
    except HandfastError as error:
        return Finding(check, FindingLevel.BAD, error.detail, error.hint)


async def _guarded_async(check: str, examine: Callable[[], Awaitable[F]]) -> F | Finding:
    try:
        return await examine()
    except HandfastError as error:
        return Finding(check, FindingLevel.BAD, error.detail, error.hint)


def _python() -> Finding:
    return Finding("python", FindingLevel.OK, f"{platform.python_version()} at {sys.executable}")


def _settings() -> Finding:
    unknown = unknown_variables(every_setting())
    if not unknown:
        return Finding("settings", FindingLevel.OK, "all valid")
    meant = [f"{name} (did you mean {near}?)" if near else name for name, near in unknown.items()]
    return Finding(
        "settings", FindingLevel.NOTE, f"unknown: {', '.join(meant)}", "Unset or rename them."
    )


def _binaries(settings: Settings) -> Finding:
    binaries = find_binaries(settings.postgres_bin)
    return Finding(
        "embedded binaries", FindingLevel.OK, f"PostgreSQL {binaries.version} in {binaries.bin}"
    )


def _data_folder(settings: Settings) -> Finding:
    folder = DataFolder.at(settings.data_dir)
    folder.prepare()
    folder.check_version(find_binaries(settings.postgres_bin))
    return Finding("data folder", FindingLevel.OK, str(settings.data_dir))


def _disk(settings: Settings) -> Finding:
    folder = settings.data_dir
    while not folder.is_dir():
        folder = folder.parent
    DataFolder.at(folder).check_room()
    free = shutil.disk_usage(folder).free
    found = f"{free / (1 << 30):.1f} GiB free at {folder}"
    if free >= DISK_FREE_WANTED:
        return Finding("disk", FindingLevel.OK, found)
    return Finding(
        "disk",
        FindingLevel.NOTE,
        found,
        "Free some space, or choose a folder on a larger disk with HANDFAST_DATA_DIR.",
    )


async def _database(settings: Settings, *, explained: bool) -> list[Finding]:
    """``explained``: what keeps the embedded server from starting has already been said."""
    try:
        async with open_system(settings, migrated=False) as system:
            findings = [await _guarded_async("database", lambda: _server(system))]
            if system.direct is not system.database.target:
                findings.append(await _guarded_async("direct database", lambda: _direct(system)))
            return [
                *findings,
                await _guarded_async("clock", lambda: _clock(system)),
                await _guarded_async("migrations", lambda: _migrations(system)),
                await _guarded_async("search path", lambda: _search_path(system)),
                *await _of_capabilities(system),
            ]
    except HandfastError as error:
        if explained:
            return [Finding("database", FindingLevel.NOTE, "not started, for the reason above")]
        return [Finding("database", FindingLevel.BAD, error.detail, error.hint)]


async def _of_capabilities(system: System) -> list[Finding]:
    checks = each(system.capabilities.on, "checks")
    found = [await _guarded_async(name, partial(one, system)) for name, one in checks.items()]
    return [finding for finding in found if finding is not None]


async def _server(system: System) -> Finding:
    async with system.database.connection() as connection:
        server = await read_server(connection)
    size = f"{server.size_bytes / (1 << 20):.0f} MiB"
    where = "embedded" if system.settings.embedded else system.database.target.shown
    return Finding(
        "database",
        FindingLevel.OK,
        f"PostgreSQL {server.version}, {where}, {server.database}: {size}",
    )


async def _direct(system: System) -> Finding:
    connection = await connect(system.direct)
    try:
        server = await read_server(connection)
    finally:
        await connection.close()
    found = f"PostgreSQL {server.version}, {system.direct.shown}, {server.database}"
    return Finding("direct database", FindingLevel.OK, found)


async def _clock(system: System) -> Finding:
    async with system.database.connection() as connection:
        started = time.perf_counter()
        server = await read_server(connection)
        travelled = time.perf_counter() - started
    skew = abs((datetime.now(UTC) - server.now).total_seconds()) - travelled
    if skew <= CLOCK_SKEW_WANTED:
        return Finding("clock", FindingLevel.OK, "agrees with the database")
    return Finding(
        "clock",
        FindingLevel.NOTE,
        f"{skew:.1f} s away from the database's clock",
        "Handfast decides by the database's clock, so nothing breaks; but logs will not line up. "
        "Synchronise both machines (NTP).",
    )


async def _migrations(system: System) -> Finding:
    report = await status(system.database, schemas=system.capabilities.schemas)
    if report.pending:
        return Finding(
            "migrations",
            FindingLevel.NOTE,
            f"{len(report.pending)} to apply",
            "Run: handfast migrate",
        )
    return Finding("migrations", FindingLevel.OK, f"all {len(report.applied)} applied")


async def _search_path(system: System) -> Finding:
    async with system.database.connection() as connection:
        paths = await reaching_paths(connection)
    if not paths:
        return Finding("search path", FindingLevel.OK, "no login finds our names by itself")
    return Finding(
        "search path",
        FindingLevel.NOTE,
        f"reaches the schema {FACE}: {'; '.join(map(str, paths))}",
        f"Its names would hide those of your own tables. {advice(paths)}",
    )


async def _redis(settings: Settings) -> Finding:
    if settings.redis_url is None:
        return Finding("redis", FindingLevel.OK, "not configured; Handfast works without it")
    url = settings.redis_url.get_secret_value()
    try:
        redis = GuardedRedis(url, call_seconds=REDIS_SECONDS)
    except ValueError as error:  # a port or a database that is not a number, and the like
        return Finding(
            "redis",
            FindingLevel.NOTE,
            f"REDIS_URL is not an address: {error}",
            f"{about('redis_url')['example']} is one. Handfast goes on without Redis.",
        )
    async with redis:
        try:
            server = await redis.server()
        except RedisAway as error:
            return Finding(
                "redis",
                FindingLevel.NOTE,
                error.detail,
                "Handfast goes on without it, more slowly. Check REDIS_URL, or unset it.",
            )
    return Finding("redis", FindingLevel.OK, f"{server.name} {server.version} at {redis.shown}")


_MARKS = {
    FindingLevel.OK: Text("✓", style="green"),
    FindingLevel.NOTE: Text("!", style="yellow"),
    FindingLevel.BAD: Text("✗", style="bold red"),
}


def _print_findings(findings: list[Finding]) -> None:
    table = Listing("", "", "found", prose=("found",), titled=False)
    for finding in findings:
        table.add_row(_MARKS[finding.verdict], finding.check, finding.found)
        if finding.advice:
            table.add_row("", "", Text(as_started(finding.advice), style="cyan"))
    OUT.print(table)
