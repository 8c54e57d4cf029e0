"""The options of ./run test are known whatever they are given: see tests/support/options.py."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def run_test(*words: str) -> "subprocess.CompletedProcess[str]":
    """What the script does once everything is installed."""
    lines = (ROOT / "run").read_text().splitlines()
    (line,) = [one for one in lines if "-m pytest" in one and one.endswith('worksteal "$@"')]
    return subprocess.run(
        ["sh", "-c", line, "run", *words],
        env={**os.environ, "venv": sys.prefix},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_folder_that_an_option_names_is_not_taken_for_tests(tmp_path: Path) -> None:
    """pytest would look for its settings and our conftest there, and know none of the options."""
    done = run_test("--seasons", str(tmp_path), "--help")
    assert f"--seasons {tmp_path} is no folder with football.json files in it" in done.stderr
    (tmp_path / "en.1.json").write_text("{}")
    done = run_test("--seasons", str(tmp_path), "--help")
    assert done.returncode == 0, done.stderr
    assert "--chaos-seconds" in done.stdout
