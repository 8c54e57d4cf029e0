"""What is installed only when it is asked for, and what to type when it is missing.

The core is what a program needs that enqueues and works on jobs. Everything else comes with an
extra of ``pyproject.toml``, and whoever imports it says which:

    with extra("runs"):
        import numpy as np

Without the extra that is ``ExtraMissing``, which names the command. A missing module of ours is a
fault of ours and stays what it is. Where an import is put off until a job runs, ``require`` asks
when the worker starts: a job that cannot run must not be tried until it is dead.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from handfast.base.errors import ExtraMissing


@contextmanager
def extra(name: str) -> Iterator[None]:
    """What is imported inside comes with this extra."""
    try:
        yield
    except ModuleNotFoundError as missing:
        module = (missing.name or "").partition(".")[0]
        if module in ("", "handfast"):
            raise
        raise _missing(module, name) from missing


def require(name: str, module: str) -> None:
    """Refuse to go on without a module of this extra, and do not import it."""
    if find_spec(module) is None:
        raise _missing(module, name)


def install(name: str) -> str:
    """What to type for an extra; quoted, because shells have a meaning for brackets too."""
    return f"pip install 'handfast[{name}]'"


def _missing(module: str, name: str) -> ExtraMissing:
    return ExtraMissing(
        f"This needs {module}, which is not installed; it comes with the extra {name}.",
        hint=f"Install it: {install(name)}",
    )
