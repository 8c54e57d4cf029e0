"""What ``./run test`` asks before it installs anything."""

import subprocess
import sys

import pytest

from tests.support.programs import OPTIONAL, PACKAGES


@pytest.mark.parametrize(
    "arguments",
    [(), ("-q",), ("-k", "name"), *[("--without", name) for name in OPTIONAL], ("--without",)],
)
def test_it_takes_whatever_pytest_takes(arguments: tuple[str, ...]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.programs", *arguments],
        capture_output=True,
        text=True,
        check=True,
    )
    left_out = {PACKAGES.get(name) for name in arguments[1:] if arguments[0] == "--without"}
    assert set(done.stdout.split()) <= set(PACKAGES.values()) - left_out
