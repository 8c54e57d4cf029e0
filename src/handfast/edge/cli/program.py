"""The user's program: a ``Handfast`` with its jobs, found by ``module:attribute``."""

import importlib
import os
import sys

from handfast.base.errors import SettingsError
from handfast.base.settings import load_settings
from handfast.facade import Handfast

_HINT = (
    "Name it as module:attribute, for example --app shop.jobs:hf (or HANDFAST_APP), and run the "
    "command in the folder from which the module can be imported."
)


def load_program(name: str | None) -> Handfast:
    """The program that ``name`` (of ``--app``) or else ``HANDFAST_APP`` names."""
    name = name or load_settings().app
    if not name:
        raise SettingsError("No program is named, so there is nothing to work on.", hint=_HINT)
    module_name, colon, attribute = name.partition(":")
    if not colon or not module_name or not attribute:
        raise SettingsError(f"{name!r} does not name a program.", hint=_HINT)
    # As `python -m` does: the current folder counts, though an installed command has none.
    folder = os.getcwd()  # noqa: PTH109  # sys.path holds texts
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as missing:
        if missing.name is not None and f"{module_name}.".startswith(f"{missing.name}."):
            raise SettingsError(f"There is no module {module_name!r}.", hint=_HINT) from None
        raise SettingsError(
            f"The module {module_name!r} needs {missing.name!r}, which is not installed.",
            hint="Install it in the same environment as Handfast.",
        ) from missing
    except ImportError as error:
        raise SettingsError(
            f"The module {module_name!r} cannot be imported: {error}.", hint=_HINT
        ) from error
    found: object = module
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise SettingsError(f"{module_name!r} has no {attribute!r}.", hint=_HINT)
        found = getattr(found, part)
    if not isinstance(found, Handfast):
        raise SettingsError(
            f"{name} is a {type(found).__name__}, not a Handfast.",
            hint="It is what `hf = Handfast()` makes and `@hf.job` is declared on.",
        )
    return found
