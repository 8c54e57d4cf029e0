"""What pages say that a program prints or answers is what it prints and answers.

Every fence that shows an output is compared with a real one here, or in the test that ``ELSEWHERE``
names; or it is listed with the reason why nobody can (``NOT_OUTPUT``). A test says with ``shows``
which fences it is about, so that a new one without a test is noticed.
"""

import asyncio
import errno
import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar
from urllib.error import HTTPError
from urllib.request import Request, urlopen
from uuid import UUID

import httpx2
import msgspec
import pytest

from handfast.apps.fixtures.ingest.ingest import ingest
from handfast.apps.fixtures.rules.prediction import Prediction
from handfast.apps.fixtures.steps.lineup_providers import read_lineups
from handfast.db.embedded.errors import DiskFull
from handfast.db.embedded.folder import DataFolder
from handfast.db.pool import Database
from handfast.edge.cli.speaking.output import STARTED_AS
from handfast.engine.event_envelope import StoredEvent
from handfast.services.limits.headers import limit_headers
from handfast.services.limits.limit import Ask, Limit
from handfast.services.limits.limiter import Limiter
from tests.edge.test_match_runs import RUN, TOKEN, app_of
from tests.edge.test_who_migrates import UNRELEASED, execute
from tests.support.clock import freeze
from tests.support.command import run_handfast
from tests.support.corpus_rows import acme
from tests.support.eventually import eventually
from tests.support.jobs import enqueue
from tests.support.pages import (
    OUTPUTS,
    ROOT,
    at_home,
    fence,
    fences,
    fits,
    form,
    is_shown,
    is_shown_as_json,
)
from tests.support.runs_harness import RunsHarness
from tests.test_docs import PAGES

README = "README.md"
START = "docs/tutorial.md"
HTTP = "docs/reference/http.md"
TROUBLE = "docs/guides/troubleshooting.md"
FIXTURES = "docs/concepts/fixtures.md"
FILES = "docs/reference/fixture-files.md"
SENDING = "docs/guides/webhooks-sending.md"

# Compared by another test, which runs the program anyhow.
ELSEWHERE = {
    (README, "Handfast is ready"): "tests/edge/test_demo.py",
    (README, "✓ One identity"): "tests/edge/test_demo.py",
    ("docs/reference/errors.md", "HandfastError"): "tests/base/test_errors.py",
    ("docs/tutorials/first-job.md", ""): "tests/test_docs_code.py",
    ("docs/reference/cli.md", "Jobs that do nothing"): "tests/edge/test_bench.py",
    ("docs/guides/sign-in.md", ""): "tests/edge/test_sign_in_guide.py",
    ("docs/guides/people.md", ""): "tests/edge/people/test_people_guide.py",
    ("docs/guides/chat.md", ""): "tests/edge/chat/test_guides.py",
    ("docs/guides/moderation.md", ""): "tests/edge/chat/test_guides.py",
    ("docs/guides/installing.md", "The core of Handfast"): "tests/test_wheel.py",
}

# Not what a program says.
NOT_OUTPUT = {
    ("ARCHITECTURE.md", ""): "drawings of folders, compared by tests/test_architecture.py",
    ("docs/guides/idempotency.md", "POST /orders"): "a request to somebody's own application",
    (HTTP, "Authorization: Bearer"): "a header that the reader sends",
    ("docs/concepts/offers.md", "snapshot ──>"): "a drawing of the parts of a round",
}

SHOWN: set[tuple[str, str]] = set()
Test = TypeVar("Test", bound=Callable[..., Any])


def shows(*fences_of_pages: tuple[str, str]) -> Callable[[Test], Test]:
    SHOWN.update(fences_of_pages)
    return lambda test: test


def assert_shown(said: str, shown: str) -> None:
    assert is_shown(said, shown), f"{said}\nis not what the page shows:\n{shown}"


def assert_begins(said: str, shown: str) -> None:
    """An error goes on with advice, which pages give in their own words."""
    assert_shown(said, f"{shown.rstrip()}…")


def assert_answered(said: Any, shown: str) -> None:
    assert is_shown_as_json(said, shown), f"{said}\nis not what the page shows:\n{shown}"


def test_every_output_is_compared_or_declared() -> None:
    known = [*SHOWN, *ELSEWHERE, *NOT_OUTPUT]
    unknown, met = [], set()
    for one in (one for page in PAGES for one in fences(page) if one.language in OUTPUTS):
        fit = [name for name in known if name[0] == one.page and one.begins.startswith(name[1])]
        met.update(fit)
        if len(fit) != 1:
            unknown.append(f"{one.page}: {one.begins} {fit}")
    assert unknown == []
    assert set(known) - met == set(), "these are no longer on their pages"
    for (page, _), test in ELSEWHERE.items():
        assert Path(page).name in (ROOT / test).read_text()


# --- Getting started --------------------------------------------------------------------------


class Person:
    """Somebody with a clone, and a home folder with nothing in it."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.data = home / ".local" / "share" / "handfast"
        # The pages show the server that comes along, whatever the suite runs on.
        self._env = {"HOME": str(home), "XDG_DATA_HOME": "", "HANDFAST_POSTGRES_BIN": ""}
        self._env[STARTED_AS] = "./run"

    def sees(self, *words: str, **environment: str) -> str:
        done = run_handfast(*words, cwd=self.home, env={**self._env, **environment})
        return at_home(done.stdout + done.stderr, self.home)

    @contextmanager
    def up(self) -> Iterator[list[str]]:
        """What ``up`` says until it is ready, without the log."""
        process = subprocess.Popen(
            [sys.executable, "-m", "handfast", "up", "--port", "0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, **self._env},
        )
        assert process.stdout is not None
        said: list[str] = []
        try:
            while not said or "Ctrl-C" not in said[-1]:
                line = process.stdout.readline()
                assert line, said
                said += [] if line.startswith("{") else [line.rstrip("\n")]
            yield said
        finally:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=30)


def answer(url: str, token: str | None = None) -> Any:
    asked = Request(url, headers={"Authorization": f"Bearer {token}"} if token else {})
    try:
        with urlopen(asked, timeout=20) as answered:
            return json.load(answered)
    except HTTPError as refused:
        with refused:
            return json.load(refused)


@shows(
    *((START, begins) for begins in ("✓ python", "Handfast is ready", "handfast=# ")),
    *((START, begins) for begins in ('{"status":"ready"', '{"version"', "No embedded server")),
    *((HTTP, begins) for begins in ('{"status":"ok"', '{"status":"ready"')),
    *((HTTP, begins) for begins in ('{ "version"', '{ "type"')),
    (README, "✓ python"),
    ("docs/concepts/embedded-postgres.md", "pgdata/"),
)
def test_getting_started(tmp_path: Path) -> None:
    person = Person(tmp_path)
    assert_shown(person.sees("doctor"), fence(START, "✓ python"))
    with person.up() as said:
        assert_shown("\n".join(said), fence(START, "Handfast is ready"))
        url = said[0].split()[-1]
        [token] = re.findall(r"hf_admin_\S+", "\n".join(said))
        for path, page, begins in (
            ("/health", HTTP, '{"status":"ok"'),
            ("/ready", HTTP, '{"status":"ready"'),
            ("/ready", START, '{"status":"ready"'),
            ("/admin/system", HTTP, '{ "version"'),
            ("/admin/system", START, '{"version"'),
        ):
            assert_answered(answer(url + path, token), fence(page, begins))
        assert_answered(answer(f"{url}/admin/system"), fence(HTTP, '{ "type"'))
        session = fence(START, "handfast=# ")
        typed = re.findall(r"^handfast=# (.*)$", session, re.MULTILINE)
        shown = re.sub(r"^handfast=# .*$", "", session, flags=re.MULTILINE)
        assert_shown(person.sees("psql", *(w for line in typed for w in ("-c", line))), shown)
        described = fence("docs/concepts/embedded-postgres.md", "pgdata/")
        listed = {line.split()[0].rstrip("/") for line in described.splitlines()}
        # The secret of identity is made by its first chore, soon after the start.
        eventually((person.data / "identity-secret").exists)
        assert {file.name for file in person.data.iterdir()} == listed - {"keep"}
    eventually(lambda: "No embedded server" in person.sees("server", "status"))
    assert_shown(person.sees("server", "status"), fence(START, "No embedded server"))
    assert_shown(person.sees("doctor"), fence(README, "✓ python"))


# --- errors -----------------------------------------------------------------------------------


@shows((TROUBLE, "Some settings"))
def test_wrong_settings(tmp_path: Path) -> None:
    said = Person(tmp_path).sees("up", HANDFAST_PORT="abc", HANDFAST_LOG_LEVEL="loud")
    assert_begins(said, fence(TROUBLE, "Some settings"))


@shows((TROUBLE, "The port is taken"))
def test_a_port_that_is_taken(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        said = Person(tmp_path).sees("up", "--port", str(taken.getsockname()[1]))
    assert_begins(said, fence(TROUBLE, "The port is taken"))


@shows((TROUBLE, "The data folder cannot be used"))
def test_a_folder_that_cannot_be_used(tmp_path: Path) -> None:
    """Of a place where nobody may write; the page shows the commonest reason."""
    said = Person(tmp_path).sees("up", "--port", "0", "--data-dir", "/proc/handfast")
    said = said.replace("/proc", "/srv").replace(os.strerror(errno.ENOENT), "Permission denied")
    assert_begins(said, fence(TROUBLE, "The data folder cannot be used"))


@shows((TROUBLE, "The data folder belongs"))
def test_a_folder_of_another_version(tmp_path: Path) -> None:
    person = Person(tmp_path)
    (person.data / "pgdata").mkdir(parents=True)
    (person.data / "pgdata" / "PG_VERSION").write_text("16\n")
    assert_begins(person.sees("migrate"), fence(TROUBLE, "The data folder belongs"))


@shows((TROUBLE, "The disk is full"))
def test_a_full_disk(tmp_path: Path) -> None:
    class NoRoom(DataFolder):
        def room(self) -> int:
            return 20 << 20

    with pytest.raises(DiskFull) as full:
        NoRoom(tmp_path).check_room()
    said = f"{full.value.title}. {full.value.detail}"
    assert_begins(said, fence(TROUBLE, "The disk is full"))


@shows((TROUBLE, "The path of the database socket"))
def test_a_long_socket(tmp_path: Path) -> None:
    folder = tmp_path / ("long" * 25)
    said = Person(tmp_path).sees("migrate", HANDFAST_SOCKET_DIR=str(folder))
    said = re.sub(r"which is \d+ bytes", "which is 142 bytes", said)
    assert_begins(said, fence(TROUBLE, "The path of the database socket"))


@shows((TROUBLE, "The database cannot be reached"), ("docs/reference/cli.md", '{ "error"'))
def test_an_unreachable_database(tmp_path: Path) -> None:
    person, url = Person(tmp_path), "postgresql://u:secret@127.0.0.1:1/x"
    said = person.sees("migrate", DATABASE_URL=url)
    assert_begins(said, fence(TROUBLE, "The database cannot be reached"))
    said = person.sees("migrate", "--json", DATABASE_URL=url)
    document, _ = json.JSONDecoder().raw_decode(said)
    assert_answered(document, fence("docs/reference/cli.md", '{ "error"'))


@shows((TROUBLE, "The database is newer"), (TROUBLE, "A migration that was applied"))
async def test_a_database_with_other_migrations(
    database: Database, dsn: str, tmp_path: Path
) -> None:
    shown = fence(TROUBLE, "The database is newer")
    found = re.search(r"migration (\w+)/((\d+)_\w+\.sql), applied\s+by Handfast ([\d.]+);", shown)
    assert found
    schema, name, number, version = found.groups()
    async with database.connection() as connection:
        await connection.execute(
            "INSERT INTO handfast_db.migrations (schema, number, name, checksum, version)"
            " VALUES ($1, $2, $3, 'abc', $4)",
            *(schema, int(number), name, version),
        )
        said = await seen(tmp_path, "migrate", DATABASE_URL=dsn)
        assert_begins(said, shown)
        await connection.execute(
            "UPDATE handfast_db.migrations SET checksum = 'abc' WHERE schema = 'db'"
        )
        said = await seen(tmp_path, "migrate", DATABASE_URL=dsn)
    assert_begins(said, fence(TROUBLE, "A migration that was applied"))


@shows((TROUBLE, "The database is of an unreleased build"))
async def test_a_database_of_an_unreleased_build(empty_dsn: str, tmp_path: Path) -> None:
    await execute(empty_dsn, UNRELEASED)
    said = await seen(tmp_path, "migrate", DATABASE_URL=empty_dsn)
    assert_begins(said, fence(TROUBLE, "The database is of an unreleased build"))


async def seen(home: Path, *words: str, **environment: str) -> str:
    return await asyncio.to_thread(Person(home).sees, *words, **environment)


# --- answers over HTTP ------------------------------------------------------------------------


@pytest.fixture
async def client(database: Database, dsn: str) -> AsyncIterator[httpx2.AsyncClient]:
    transport = httpx2.ASGITransport(app_of(database, dsn), raise_app_exceptions=False)
    operator = {"Authorization": f"Bearer {TOKEN}"}
    async with httpx2.AsyncClient(
        transport=transport, base_url="http://handfast", headers=operator
    ) as client:
        yield client


@shows((HTTP, '{ "runId"'))
async def test_a_match_run(client: httpx2.AsyncClient, database: Database) -> None:
    """The page's startup is invented, so members are compared and not what they hold. Names of two
    words come in both spellings, of which the page shows one."""
    await acme(database, matches=3)
    made = await client.post(RUN, json={"url": "acme.com"})
    harness = RunsHarness(database)
    async with harness.working():
        await harness.ended(UUID(made.json()["runId"]))
    run = (await client.get(made.headers["location"])).json()
    assert form(run) == form(json.loads(fence(HTTP, '{ "runId"')))


@shows((HTTP, '{"source"'))
async def test_fixtures_that_are_brought(client: httpx2.AsyncClient) -> None:
    sent = json.loads(fence(HTTP, '{"source"'))
    report = (await client.post("/fixtures", json=sent)).json()
    assert (report["created"], report["rejects"]) == (len(sent["fixtures"]), [])


@shows((HTTP, '{ "entries"'))
async def test_the_audit(client: httpx2.AsyncClient, database: Database) -> None:
    page = json.loads(fence(HTTP, '{ "entries"'))
    [shown] = page["entries"]
    job = await enqueue(database, "mail.welcome", "ada")
    what = {"reason": shown["reason"]}
    assert (await client.post(f"/admin/jobs/{job}/cancel", params=what)).is_success
    told = (await client.get("/admin/audit")).json()
    assert form(told) == form(page)
    [entry] = told["entries"]
    assert (entry["action"], entry["reason"]) == (shown["action"], shown["reason"])
    assert (entry["subject"], shown["subject"]) == (f"job:{job}", "job:4711")


@shows((SENDING, '{"url"'))
async def test_an_endpoint_that_is_registered(client: httpx2.AsyncClient) -> None:
    sent = json.loads(fence(SENDING, '{"url"'))
    made = await client.post("/webhooks/endpoints", json=sent)
    assert made.status_code == 201, made.text
    assert sent.items() <= made.json()["endpoint"].items()


@shows((SENDING, '{"eventId"'))
def test_what_is_sent() -> None:
    event = StoredEvent(
        "7b0e0000-0000-4000-8000-000000000000",
        *(datetime(2026, 3, 29, 12, tzinfo=UTC), "match.created", "match:7", 1, '{"matchId": 7}'),
    )
    assert fits(event.envelope().decode(), fence(SENDING, '{"eventId"').strip())


@shows(("docs/guides/rate-limits.md", "RateLimit-Policy"))
async def test_the_headers_of_a_limit(database: Database) -> None:
    await freeze(database, datetime(2026, 3, 29, 12, tzinfo=UTC))
    ask = Ask(Limit("runs", 20, timedelta(hours=1)), "somebody")
    limiter = Limiter(database)
    for _ in range(20):
        assert (await limiter.take_all([ask])).admitted
    refused = limit_headers(await limiter.take_all([ask]))
    said = "\n".join(f"{name}: {value}" for name, value in refused)
    assert_shown(said, fence("docs/guides/rate-limits.md", "RateLimit-Policy"))


# --- documents --------------------------------------------------------------------------------


@shows(("docs/concepts/predictions.md", '{ "home"'))
def test_a_prediction() -> None:
    """Made of real seasons, which nobody commits: its members are compared."""
    shown = fence("docs/concepts/predictions.md", '{ "home"')
    made = msgspec.json.encode(msgspec.json.decode(shown, type=Prediction))
    assert form(json.loads(made)) == form(json.loads(shown))


@shows((FIXTURES, '{"home"'))
def test_lineups() -> None:
    """The page shows one player of each side."""
    shown = json.loads(fence(FIXTURES, '{"home"'))
    for side in shown.values():
        [one] = side["starting"]
        side["starting"] = [{**one, "name": f"Player {n}", "number": n} for n in range(1, 12)]
    read = read_lineups(json.dumps(shown).encode(), "the page")
    assert (read.home.formation, len(read.away.starting)) == ("4-4-2", 11)


@shows((FILES, '{"name": "English Premier League 2026/27"'))
@shows((FILES, '{"name": "English Premier League 2015/16"'), (FILES, "Div,Date"))
async def test_files_of_fixtures(database: Database, tmp_path: Path) -> None:
    shown = [one.text for one in fences(ROOT / FILES) if one.language in OUTPUTS]
    for number, (text, suffix) in enumerate(zip(shown, ("json", "json", "csv"), strict=True)):
        file = tmp_path / f"en.{number + 1}.{suffix}"
        file.write_text(text.replace(",…", ""))
        report = await ingest(database, [str(file)])
        assert (report.created, report.rejects) == (1, []), text


@shows((FIXTURES, "source place reason"))
async def test_what_is_wrong_with_a_file(dsn: str, tmp_path: Path) -> None:
    """The places and reasons of the page, made to happen."""
    match = {"date": "2026-08-15", "time": "15:00", "team2": "Chelsea"}
    matches: list[dict[str, Any]] = [{**match, "team1": f"Team {n}"} for n in range(42)]
    matches[17]["date"] = "2026-02-29"
    matches[41] |= {"status": "postponed", "score": {"ft": [2, 1]}}
    season = tmp_path / "2026-27"
    season.mkdir()
    (season / "en.1.json").write_text(json.dumps({"name": "League", "matches": matches}))
    rows = [f"m{'1' if line == 12 else line - 2},2026-08-15,A{line},B" for line in range(3, 13)]
    (tmp_path / "fixtures.csv").write_text(
        "\n".join(["id,date,home,away", "m0,2026-08-15,A,B", *rows])
    )
    words = ("fixtures", "ingest", "--competition", "en.1", "2026-27/en.1.json", "fixtures.csv")
    said = await seen(tmp_path, *words, DATABASE_URL=dsn)
    shown = fence(FIXTURES, "source place reason")
    assert_shown(said[said.index("source ") :], shown)
