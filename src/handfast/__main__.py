"""The ``handfast`` command, also as ``python -m handfast``.

It is installed with the core, whose users may never need it; its libraries come with an extra.
"""

import sys

from handfast import __version__
from handfast.base.errors import ExtraMissing


def main() -> None:
    try:
        from handfast.edge.cli import main as command  # noqa: PLC0415
    except ExtraMissing as missing:
        sys.exit(_without_commands(missing))
    command()


def _without_commands(missing: ExtraMissing) -> int:
    if sys.argv[1:] == ["--version"]:
        sys.stdout.write(f"{__version__}\n")
        return 0
    sys.stderr.write(f"The core of Handfast is installed, without its commands. {missing}\n")
    return missing.exit_code


if __name__ == "__main__":
    main()
