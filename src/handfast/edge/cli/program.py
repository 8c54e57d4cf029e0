"""Finding the user's program: the ``Handfast`` object that a command is to work with."""

import importlib
import sys
from pathlib import Path

from handfast.base.errors import SettingsError
from handfast.base.settings import load_settings
from handfast.facade import Handfast

_FORM = (
    "Name it as module:attribute, with --app or HANDFAST_APP. Example: --app myapp.jobs:hf, "
    "where myapp/jobs.py has hf = Handfast()."
)


def load_program(name: str | None) -> Handfast:
    """The program that ``name`` (or, without one, HANDFAST_APP) means: ``module:attribute``."""
    named = name or load_settings().app
    if named is None:
        raise SettingsError("No program is named, so there is nothing to work on.", hint=_FORM)
    module_name, colon, attribute = named.partition(":")
    if not (module_name and colon and attribute):
        raise SettingsError(f"The program is {named!r}, not module:attribute.", hint=_FORM)
    # A program in the current folder is found, as `python -m` would find it.
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        found = importlib.import_module(module_name)
    except ModuleNotFoundError as missing:
        if missing.name is None or not f"{module_name}.".startswith(f"{missing.name}."):
            raise  # the program was found; something that it imports was not
        raise SettingsError(
            f"There is no module {missing.name!r} here or on the Python path.", hint=_FORM
        ) from missing
    for part in attribute.split("."):
        found = getattr(found, part, None)  # type: ignore[assignment]
    if not isinstance(found, Handfast):
        raise SettingsError(f"{named!r} is {found!r}, not a Handfast object.", hint=_FORM)
    return found
