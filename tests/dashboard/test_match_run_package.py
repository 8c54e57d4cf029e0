"""``dashboard/match-run``: its own tests, types and style, and the package that others install."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest

from handfast.apps.runs.explain import Signal
from handfast.apps.runs.matches import StartupProfile
from handfast.edge.api.runs import InvestorMatch, RunView
from tests.support.node import DASHBOARD, MODULES, NPM, environment, run_node

pytestmark = pytest.mark.needs("npm")

MATCH_RUN = DASHBOARD / "match-run"
GZIP_BYTES_MAX = 3000  # without the parser and React, which the page may have anyhow
TESTS_MIN = 160  # so that a run that found none is noticed


def program(name: str, *arguments: str | Path, cwd: Path = DASHBOARD) -> str:
    package, file = {
        "biome": ("@biomejs/biome", "bin/biome"),
        "publint": ("publint", "src/cli.js"),
        "attw": ("@arethetypeswrong/cli", "dist/index.js"),
        "tsc": ("typescript", "bin/tsc"),
        "vitest": ("vitest", "vitest.mjs"),
    }[name]
    return run_node(MODULES / package / file, *arguments, cwd=cwd)


def test_its_own_tests_pass(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    program(
        "vitest",
        *("run", "--root", MATCH_RUN, "--no-cache"),
        *("--reporter=default", "--reporter=json", f"--outputFile.json={report}"),
    )
    said: dict[str, Any] = json.loads(report.read_text())
    assert said["success"]
    assert said["numPassedTests"] == said["numTotalTests"] >= TESTS_MIN, "none is left out"


def test_its_types_hold() -> None:
    """And what must not compile does not: tests/states.types.ts."""
    program("tsc", "-p", MATCH_RUN)


def test_the_style() -> None:
    program("biome", "ci", ".")


def test_the_package(tmp_path: Path) -> None:
    """As somebody would install it: built, packed, looked at by publint and attw."""
    program("tsc", "-p", MATCH_RUN / "tsconfig.build.json", "--outDir", tmp_path / "dist")
    for name in ("package.json", "README.md"):
        shutil.copy(MATCH_RUN / name, tmp_path)
    subprocess.run(
        [*NPM, "pack", "--ignore-scripts"],
        cwd=tmp_path,
        env=environment(),
        check=True,
        capture_output=True,
    )
    [packed] = tmp_path.glob("*.tgz")
    assert "All good!" in program("publint", "run", packed, "--strict")
    program("attw", packed, "--profile", "esm-only")  # leaves with 1 if there is a problem
    assert not list(tmp_path.glob("dist/**/*.test.*"))


def test_it_is_small() -> None:
    """The hook with its core, minified."""
    entry = MATCH_RUN / "src" / "react.ts"
    said = json.loads(run_node("tools/bundle.mjs", entry, "react", "eventsource-parser"))
    assert 1000 < said["gzip"] <= GZIP_BYTES_MAX


@pytest.mark.parametrize(
    ("interface", "struct"),
    [
        ("Run", RunView),
        ("Match", InvestorMatch),
        ("Startup", StartupProfile),
        ("Signal", Signal),
    ],
)
def test_its_types_are_what_the_server_answers(
    interface: str, struct: type[msgspec.Struct]
) -> None:
    text = (MATCH_RUN / "src" / "answers.ts").read_text()
    found = re.search(rf"export interface {interface} {{(.*?)\n}}", text, re.DOTALL)
    assert found
    declared = dict(re.findall(r"readonly (\w+): (.+);", found[1]))
    fields = {
        field.encode_name: field.type
        for field in msgspec.structs.fields(struct)
        if not field.name.endswith("_")  # the second spelling
    }
    assert set(declared) == set(fields)
    for name, kind in fields.items():
        assert ("null" in declared[name]) == (type(None) in getattr(kind, "__args__", ())), name
