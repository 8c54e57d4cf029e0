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
    "node": "nodejs",
    "npm": "npm",
    "pgbouncer": "pgbouncer",
    "promtool": "prometheus",
    "redis-server": "redis-server",
}

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


def main(arguments: list[str]) -> None:
    without = {value for word, value in pairwise(arguments) if word == "--without"}
    sys.stdout.write(" ".join(PACKAGES[name] for name in missing(without)))


if __name__ == "__main__":
    main(sys.argv[1:])
