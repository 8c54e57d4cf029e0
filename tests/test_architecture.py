"""The rooms of the house: imports point one way, the public names are pinned, and the page that
describes it is true."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import handfast
from tests.support.reach import HOUSE, SQL, reached_from

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "ARCHITECTURE.md").read_text()
WALKS = dict(
    re.findall(
        r"^### (.+?)$(.*?)(?=^##)", PAGE.partition("\n## Five walks\n")[2], re.MULTILINE | re.DOTALL
    )
)
STOP = re.compile(r"^(\d+)\. `([\w./]+)`: \S")


def test_imports_point_one_way() -> None:
    done = subprocess.run(
        [Path(sys.executable).parent / "lint-imports"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_exported_names() -> None:
    assert handfast.__all__ == [
        "PRUNED",
        "Batch",
        "BatchJob",
        "CatchUp",
        "Context",
        "DataInconsistent",
        "Enqueued",
        "FailureClass",
        "Fixture",
        "Handfast",
        "HandfastError",
        "HostOptions",
        "JobState",
        "NewEvent",
        "Pipeline",
        "Retry",
        "RetryAt",
        "RetryPolicy",
        "Step",
        "Tick",
        "Transaction",
        "WebhookEndpoint",
        "WebhookEvent",
        "WebhookInbox",
        "WebhookReceiver",
        "WorkerOptions",
        "__version__",
        "webhooks_inbox_ddl",
    ]
    for name in handfast.__all__:
        assert getattr(handfast, name)


def test_the_version_is_said_once() -> None:
    project = (ROOT / "pyproject.toml").read_text()
    assert f'version = "{handfast.__version__}"' in project


def test_no_file_names_a_registry_or_a_machine() -> None:
    """What we commit works anywhere: no host of a registry, no path of this machine."""
    tracked = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split("\0")
    forbidden = [
        "pypi." + "org",
        "files.python" + "hosted",
        "registry.npm" + "js",
        "/root" + "/",
        str(ROOT),
    ]
    for name in filter(None, tracked):
        file = ROOT / name
        if file.suffix in {".png", ".ico"} or "static/swagger-ui" in name or not file.exists():
            continue
        text = file.read_text()
        assert not [word for word in forbidden if word in text], name


# --- the page ---------------------------------------------------------------------------------


def rooms_of_the_page() -> set[str]:
    """``engine``, ``engine/work``, ``facade.py``: by indentation, as the page draws them."""
    [drawn] = re.findall(r"^## The rooms$.*?^```text$(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    rooms: list[str] = []
    for inside, name in re.findall(r"^( *)([\w.]+) +\S", drawn, re.MULTILINE):
        above = next((one for one in reversed(rooms) if "/" not in one), "")
        rooms.append(f"{above}/{name}" if inside else name)
    assert len(set(rooms)) == len(rooms)
    return set(rooms)


def test_the_rooms_of_the_page_are_those_of_the_tree() -> None:
    packages = {file.parent.relative_to(HOUSE) for file in HOUSE.rglob("__init__.py")}
    modules = {file.name for file in HOUSE.glob("[!_]*.py")}
    there = {path.as_posix() for path in packages if 1 <= len(path.parts) <= 2}
    assert rooms_of_the_page() == there | modules


def test_what_the_page_names_is_there() -> None:
    """Folders and files in code spans; those with a placeholder are a form, not a file."""
    named = re.findall(r"`((?:\w+/)+[\w.]*|\w+\.(?:py|sql|toml|md))`", PAGE)
    assert len(named) > 60
    assert [
        name for name in named if not any((at / name).exists() for at in (ROOT, HOUSE, SQL))
    ] == []


def test_there_are_five_walks() -> None:
    assert len(WALKS) == 5


@pytest.mark.parametrize("walk", WALKS)
def test_each_file_of_a_walk_leads_to_the_next(walk: str) -> None:
    """To the next, or to a later one: who calls two others stands before both. Where a part of
    the walk begins, another process does, or another request."""
    stops: list[str] = []
    for part in re.split(r"^[A-Z].*:$", WALKS[walk], flags=re.MULTILINE):
        before: list[str] = []
        for number, name in (
            found.groups() for line in part.splitlines() if (found := STOP.match(line))
        ):
            stops.append(name)
            assert int(number) == len(stops)
            assert (HOUSE / name).exists(), f"there is no {name}"
            assert not before or any(name in reached_from(one) for one in before), (
                f"none of {before} leads to {name}"
            )
            before.append(name)
    assert len(stops) == len(re.findall(r"^\d", WALKS[walk], re.MULTILINE)) >= 10


def test_a_class_name_is_there_once() -> None:
    """Whoever searches for one finds one."""
    homes: dict[str, list[str]] = {}
    for file in sorted(HOUSE.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ClassDef):
                homes.setdefault(node.name, []).append(str(file.relative_to(HOUSE)))
    assert {name: files for name, files in homes.items() if len(files) > 1} == {}
