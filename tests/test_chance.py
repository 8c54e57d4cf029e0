"""Nothing in the suite is left to chance, unless somebody asks: see tests/support/chance.py."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings

PLUGINS = ("-p", "xdist", "-p", "no:cacheprovider")  # the others take longer than the tests
ROOT = Path(__file__).parents[1]
CONFTEST = """
from tests.support import chance

pytest_addoption = chance.add_option
pytest_configure = chance.configure
pytest_configure_node = chance.tell_process
pytest_report_header = chance.describe
"""
# Two tests with the same property, so that two processes try one each; only one of them has
# loaded a module of the project's with constants of its own.
PROPERTY = """
import pathlib, sys
from hypothesis import given, settings, strategies as st

sys.path.insert(0, str(pathlib.Path(__file__).parent))
tried = []

def test_it():
    {load}
    @settings(max_examples=30)
    @given(st.integers(), st.text())
    def compare(number, text):
        tried.append((number, text))

    compare()
    pathlib.Path(__file__).with_suffix(".tried").write_text(ascii(tried))
"""
CONSTANTS = "NUMBERS = [{}]".format(", ".join(str(n) for n in range(7_000, 7_400)))


def examples(folder: Path, *args: str) -> tuple[str, set[str]]:
    """What pytest says, and the different examples that its two processes tried."""
    folder.mkdir()
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "constants_of_ours.py").write_text(CONSTANTS)
    (folder / "test_one.py").write_text(PROPERTY.format(load="pass"))
    (folder / "test_two.py").write_text(PROPERTY.format(load="import constants_of_ours"))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *PLUGINS, "-n", "2", *args, str(folder)],
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout, {path.read_text() for path in folder.glob("*.tried")}


def test_a_seed_is_said_reaches_every_process_and_can_be_had_again(tmp_path: Path) -> None:
    said, by_chance = examples(tmp_path / "new", "--random-seed", "new")
    assert len(by_chance) == 1, "both processes tried the same"
    seed = re.search(r"random seed (\d+): \./run test --random-seed \1", said)
    assert seed is not None, said
    assert examples(tmp_path / "again", "--random-seed", seed[1])[1] == by_chance
    usual, as_always = examples(tmp_path / "always")
    assert len(as_always) == 1
    assert as_always != by_chance
    assert "random seed" not in usual


def test_properties_are_tried_with_the_same_examples_every_time(
    pytestconfig: pytest.Config,
) -> None:
    assert settings.default is not None
    assert settings.default.derandomize is (pytestconfig.getoption("--random-seed") is None)
    assert settings.default.database is None
    assert settings.default.deadline is None
