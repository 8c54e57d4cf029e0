"""``handfast completion``."""

import sys
from typing import Annotated, Literal

from cyclopts import Parameter
from cyclopts.completion.detect import ShellDetectionError, detect_shell

from handfast.base.errors import InvalidRequest

Shell = Literal["bash", "zsh", "fish"]


def completion(
    shell: Annotated[
        Shell | None, Parameter(help="By default the one that this was typed into.")
    ] = None,
    /,
) -> None:
    """Print what lets a shell complete commands and options with the Tab key.

    It completes the word `handfast`. For bash: `source <(handfast completion bash)`, once or in
    ~/.bashrc. For zsh: `handfast completion zsh > _handfast` in a folder of its fpath. For fish:
    `handfast completion fish | source`.
    """
    # Here and not above: the commands are assembled from this module, too.
    from handfast.edge.cli.app import PROGRAM, assemble  # noqa: PLC0415

    script = assemble(listing=False).generate_completion(
        prog_name=PROGRAM, shell=shell or _detected()
    )
    sys.stdout.write(script + "\n")


def _detected() -> Shell:
    try:
        found = detect_shell()
    except ShellDetectionError as unknown:
        raise InvalidRequest("Which shell?", hint="Name it: bash, zsh or fish.") from unknown
    if found not in ("bash", "zsh", "fish"):
        raise InvalidRequest(f"{found} is not supported.", hint="bash, zsh and fish are.")
    return found
