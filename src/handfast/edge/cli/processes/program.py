"""Finding the user's program: the ``Handfast`` object that a command is to work with."""

import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from handfast.base.errors import SettingsError
from handfast.facade import Handfast
from handfast.wiring import load_settings

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
        found: Any = importlib.import_module(module_name)
    except ModuleNotFoundError as missing:
        if missing.name is None or not f"{module_name}.".startswith(f"{missing.name}."):
            raise  # the program was found; something that it imports was not
        raise SettingsError(
            f"There is no module {missing.name!r} here or on the Python path.", hint=_FORM
        ) from missing
    module = found
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise SettingsError(
                f"{module_name} has no {attribute!r}. {_there(module_name, module)}", hint=_FORM
            )
        found = getattr(found, part)
    if not isinstance(found, Handfast):
        raise SettingsError(
            f"{named!r} is {found!r}, not a Handfast object. {_there(module_name, module)}",
            hint=_FORM,
        )
    return found


def _there(name: str, module: ModuleType) -> str:
    """What could have been meant."""
    known = [word for word, value in vars(module).items() if isinstance(value, Handfast)]
    if not known:
        return f"There is no Handfast object in {name}."
    return f"There is: {', '.join(f'{name}:{word}' for word in known)}."
