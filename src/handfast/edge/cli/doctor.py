"""``handfast doctor``: is everything in place, and if not, what to do."""

import asyncio
import platform
import shutil
import sys
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from enum import StrEnum

import msgspec
from rich.text import Text

from handfast.apps.runs.login import ROLE, check_login, role_exists, spare_rights
from handfast.base.errors import HandfastError, RedisAway, SettingsError
from handfast.base.settings import Mode, Settings, about, load_settings, unknown_variables
from handfast.db.connect import connect
from handfast.db.embedded import find_binaries
from handfast.db.embedded.folder import DataFolder
from handfast.db.migrate import status
from handfast.db.pool import Database
from handfast.db.redis import GuardedRedis
from handfast.db.server import read_server
from handfast.edge.cli.listing import Listing
from handfast.edge.cli.options import DataDir, Json
from handfast.edge.cli.output import OUT, as_started, print_json
from handfast.wiring import System, open_system, prepare_process, runs_target

DOCTOR_EXIT_CODE = 7
DISK_FREE_WANTED = 1 << 30  # a day of write-ahead log and some history fit into a gigabyte
REDIS_SECONDS = 3.0  # a person waits here, and wants to know of a slow one too
CLOCK_SKEW_WANTED = 2.0  # seconds; decisions use the database's clock, but logs should agree


class Verdict(StrEnum):
    OK = "ok"
    NOTE = "note"
    BAD = "bad"


class Finding(msgspec.Struct):
    check: str
    verdict: Verdict
    found: str
    advice: str | None = None


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
        _tell(findings)
    return 0 if _all_well(findings) else DOCTOR_EXIT_CODE


def _all_well(findings: list[Finding]) -> bool:
    return all(finding.verdict is not Verdict.BAD for finding in findings)


async def _examine(settings: Settings) -> list[Finding]:
    findings = [_python(), _settings()]
    if settings.mode is Mode.PRODUCTION and settings.webhooks_allow_private:
        findings.append(_private_webhooks())
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
        return Finding(check, Verdict.BAD, error.detail, error.hint)


async def _guarded_async(check: str, examine: Callable[[], Awaitable[Finding]]) -> Finding:
    try:
        return await examine()
    except HandfastError as error:
        return Finding(check, Verdict.BAD, error.detail, error.hint)


def _python() -> Finding:
    return Finding("python", Verdict.OK, f"{platform.python_version()} at {sys.executable}")


def _settings() -> Finding:
    unknown = unknown_variables()
    if not unknown:
        return Finding("settings", Verdict.OK, "all valid")
    meant = [f"{name} (did you mean {near}?)" if near else name for name, near in unknown.items()]
    return Finding(
        "settings", Verdict.NOTE, f"unknown: {', '.join(meant)}", "Unset or rename them."
    )


def _private_webhooks() -> Finding:
    return Finding(
        "webhooks",
        Verdict.NOTE,
        "HANDFAST_WEBHOOKS_ALLOW_PRIVATE is true, and HANDFAST_MODE is production: whoever may "
        "register an endpoint can reach what this machine can reach",
        "Unset HANDFAST_WEBHOOKS_ALLOW_PRIVATE. It is for development.",
    )


def _binaries(settings: Settings) -> Finding:
    binaries = find_binaries(settings.postgres_bin)
    return Finding(
        "embedded binaries", Verdict.OK, f"PostgreSQL {binaries.version} in {binaries.bin}"
    )


def _data_folder(settings: Settings) -> Finding:
    folder = DataFolder.at(settings.data_dir)
    folder.prepare()
    folder.check_version(find_binaries(settings.postgres_bin))
    return Finding("data folder", Verdict.OK, str(settings.data_dir))


def _disk(settings: Settings) -> Finding:
    folder = settings.data_dir
    while not folder.is_dir():
        folder = folder.parent
    DataFolder.at(folder).check_room()
    free = shutil.disk_usage(folder).free
    found = f"{free / (1 << 30):.1f} GiB free at {folder}"
    if free >= DISK_FREE_WANTED:
        return Finding("disk", Verdict.OK, found)
    return Finding(
        "disk",
        Verdict.NOTE,
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
                await _guarded_async("match runs", lambda: _runs(system)),
            ]
    except HandfastError as error:
        if explained:
            return [Finding("database", Verdict.NOTE, "not started, for the reason above")]
        return [Finding("database", Verdict.BAD, error.detail, error.hint)]


async def _server(system: System) -> Finding:
    async with system.database.connection() as connection:
        server = await read_server(connection)
    size = f"{server.size_bytes / (1 << 20):.0f} MiB"
    where = "embedded" if system.settings.embedded else system.database.target.shown
    return Finding(
        "database", Verdict.OK, f"PostgreSQL {server.version}, {where}, {server.database}: {size}"
    )


async def _direct(system: System) -> Finding:
    connection = await connect(system.direct)
    try:
        server = await read_server(connection)
    finally:
        await connection.close()
    found = f"PostgreSQL {server.version}, {system.direct.shown}, {server.database}"
    return Finding("direct database", Verdict.OK, found)


async def _clock(system: System) -> Finding:
    async with system.database.connection() as connection:
        started = time.perf_counter()
        server = await read_server(connection)
        travelled = time.perf_counter() - started
    skew = abs((datetime.now(UTC) - server.now).total_seconds()) - travelled
    if skew <= CLOCK_SKEW_WANTED:
        return Finding("clock", Verdict.OK, "agrees with the database")
    return Finding(
        "clock",
        Verdict.NOTE,
        f"{skew:.1f} s away from the database's clock",
        "Handfast decides by the database's clock, so nothing breaks; but logs will not line up. "
        "Synchronise both machines (NTP).",
    )


async def _migrations(system: System) -> Finding:
    report = await status(system.database)
    if report.pending:
        return Finding(
            "migrations", Verdict.NOTE, f"{len(report.pending)} to apply", "Run: handfast migrate"
        )
    return Finding("migrations", Verdict.OK, f"all {len(report.applied)} applied")


async def _runs(system: System) -> Finding:
    """Can match runs be worked on, by a login that cannot write?"""
    async with system.database.connection() as connection:
        if not await role_exists(connection):
            return Finding(
                "match runs",
                Verdict.NOTE,
                f"the schema runs or the role {ROLE} is not there, so nobody can work on them",
                "Run: handfast migrate (it makes the role, or prints what an administrator has to "
                "run).",
            )
    try:
        target = runs_target(system)
    except SettingsError as missing:
        return Finding("match runs", Verdict.NOTE, missing.detail, missing.hint)
    async with await Database.open(target, pool_size=1) as reader:
        role = await check_login(reader)
        spare = await spare_rights(reader)
    found = f"worked on as {role}, which cannot write the corpus"
    if not spare:
        return Finding("match runs", Verdict.OK, found)
    return Finding(
        "match runs",
        Verdict.NOTE,
        f"{found}, but may make temporary tables or large objects, as every role here may",
        f"If nobody else needs them, an administrator can run: {' '.join(spare)}",
    )


async def _redis(settings: Settings) -> Finding:
    if settings.redis_url is None:
        return Finding("redis", Verdict.OK, "not configured; Handfast works without it")
    url = settings.redis_url.get_secret_value()
    try:
        redis = GuardedRedis(url, call_seconds=REDIS_SECONDS)
    except ValueError as error:  # a port or a database that is not a number, and the like
        return Finding(
            "redis",
            Verdict.NOTE,
            f"REDIS_URL is not an address: {error}",
            f"{about('redis_url')['example']} is one. Handfast goes on without Redis.",
        )
    async with redis:
        try:
            server = await redis.server()
        except RedisAway as error:
            return Finding(
                "redis",
                Verdict.NOTE,
                error.detail,
                "Handfast goes on without it, more slowly. Check REDIS_URL, or unset it.",
            )
    return Finding("redis", Verdict.OK, f"{server.name} {server.version} at {redis.shown}")


_MARKS = {
    Verdict.OK: Text("✓", style="green"),
    Verdict.NOTE: Text("!", style="yellow"),
    Verdict.BAD: Text("✗", style="bold red"),
}


def _tell(findings: list[Finding]) -> None:
    table = Listing("", "", "found", prose=("found",), titled=False)
    for finding in findings:
        table.add_row(_MARKS[finding.verdict], finding.check, finding.found)
        if finding.advice:
            table.add_row("", "", Text(as_started(finding.advice), style="cyan"))
    OUT.print(table)
