"""``dashboard/src``: its own tests and its types. The style is looked at for the whole folder."""

import json
from pathlib import Path

import pytest

from tests.dashboard.test_match_run_package import program
from tests.support.node import DASHBOARD

pytestmark = pytest.mark.needs("npm")

TESTS_MIN = 25  # so that a run that found none is noticed


@pytest.mark.long
def test_its_own_tests_pass(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    program(
        "vitest",
        *("run", "--root", DASHBOARD, "--no-cache"),
        *("--reporter=default", "--reporter=json", f"--outputFile.json={report}"),
    )
    said = json.loads(report.read_text())
    assert said["success"]
    assert said["numPassedTests"] == said["numTotalTests"] >= TESTS_MIN, "none is left out"


def test_its_types_hold() -> None:
    program("tsc", "-p", DASHBOARD)
