"""Programs that some tests run and that no wheel brings.

A test says ``@pytest.mark.needs("pgbouncer")``. ``./run test`` installs what is missing by apt when
it may (this module, run as a program, prints the packages). A program that is missing all the same
fails its tests; only an explicit ``--without pgbouncer`` leaves them out.
"""

import shutil
import sys
from itertools import pairwise
from pathlib import Path

# program: the Debian package that brings it
PACKAGES = {
    "pgbouncer": "pgbouncer",
    "promtool": "prometheus",
    "redis-cli": "redis-tools",
    "redis-server": "redis-server",
}

# What `--without` takes: these, and npm, whose registry may be out of reach.
OPTIONAL = (*PACKAGES, "npm")

_SBIN = ("/usr/sbin", "/usr/local/sbin")  # not on everybody's PATH


def find(program: str) -> str | None:
    return shutil.which(program) or next(
        (path for folder in _SBIN if (path := shutil.which(program, path=folder))), None
    )


def path_of(program: str) -> Path:
    found = find(program)
    assert found, f"{program} is missing: install the package {PACKAGES[program]}"
    return Path(found)


def missing(without: set[str]) -> list[str]:
    return [name for name in PACKAGES if name not in without and find(name) is None]


def left_out(arguments: list[str]) -> set[str]:
    """What pytest's own arguments say that it is to do without."""
    return {value for word, value in pairwise(arguments) if word == "--without"}


def main(arguments: list[str]) -> None:
    sys.stdout.write(" ".join(PACKAGES[name] for name in missing(left_out(arguments))))


if __name__ == "__main__":
    main(sys.argv[1:])
