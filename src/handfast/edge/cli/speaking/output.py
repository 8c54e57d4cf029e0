"""How the command line speaks: text for people, JSON for programs, one paragraph for errors.

On a terminal text is broken between words; a word that is longer than a line (an id, an address, a
path) is left whole, so that it can be copied. Into a pipe every line goes as it is.
"""

import os
import re
import shutil
import sys
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from handfast.base.errors import HandfastError

# Set by ./run and by the `handfast` that it makes: how the person at the keyboard called us.
STARTED_AS = "_HANDFAST_STARTED_AS"
_WORD = re.compile(r"\S+\s*")


@cache
def program() -> str:
    """The words that start Handfast here: ``handfast``, or whatever was typed instead."""
    if started := os.environ.get(STARTED_AS):
        return _shortest(started)
    if Path(sys.argv[0]).name == "__main__.py":  # python -m handfast
        return f"{_shortest(sys.executable)} -m handfast"
    return _shortest(sys.argv[0]) if Path(sys.argv[0]).name == "handfast" else "handfast"


def _shortest(path: str) -> str:
    name = Path(path).name
    found = shutil.which(name)
    return name if found is not None and Path(found) == Path(path).absolute() else path


def as_started(text: str) -> str:
    """Texts say ``handfast jobs list``; what is printed is what works where it is printed."""
    return _a_command().sub(lambda _: f"{program()} ", text)


@cache
def _a_command() -> re.Pattern[str]:
    from handfast.edge.cli import app  # noqa: PLC0415 - which speaks through this module

    names = [*app.COMMANDS, *(command.name for command in app.of_capabilities())]
    return re.compile(rf"(?<![\w./-])handfast (?=(?:{'|'.join(names)})\b)")


def broken(text: Text, width: int) -> list[Text]:
    """Lines of at most ``width``, broken between words and indented as the first one is. A longer
    word stays whole."""
    indent = len(text.plain) - len(text.plain.lstrip(" "))
    ends, used = [], indent
    for word in _WORD.finditer(text.plain, indent):
        if used + cell_len(word[0].rstrip()) > width and word.start() > indent:
            ends.append(word.start())
            used = indent
        used += cell_len(word[0])
    first, *more = text.divide(ends)
    lines = [first, *(Text(" " * indent) + line for line in more)]
    for line in lines:
        line.rstrip()
    return lines


class Speech(Console):
    """A console for people's terminals, and for pipes. ``no_wrap`` is for what will be copied into
    a shell, where a line more is a command more."""

    def print(self, *objects: Any, **options: Any) -> None:
        markup, width = options.pop("markup", True), self.width
        if options.get("no_wrap") or not self.is_terminal:
            width = 0
        super().print(*(self._said(one, width, markup=markup) for one in objects), **options)

    def _said(self, one: Any, width: int, *, markup: bool) -> Any:
        if isinstance(one, str):
            words = as_started(one)
            one = Text.from_markup(words, emoji=False) if markup else Text(words)
        if not (width and isinstance(one, Text)):
            return one
        lines = [part for line in one.split("\n", allow_blank=True) for part in broken(line, width)]
        return Text("\n").join(lines)


# Data is printed as it is: `markup=False` or a Text for brackets, `emoji=False` for colons.
OUT = Speech(highlight=False, soft_wrap=True, emoji=False)
ERR = Speech(stderr=True, highlight=False, soft_wrap=True, emoji=False)


def print_json(value: Any) -> None:
    """One JSON document on standard output, and nothing else there."""
    encoded = msgspec.json.format(msgspec.json.encode(value, enc_hook=str), indent=2)
    sys.stdout.write(encoded.decode() + "\n")


def print_error(error: HandfastError, *, as_json: bool = False) -> None:
    """What happened and what to do about it."""
    if as_json:
        print_json(
            {
                "error": {
                    "code": error.code,
                    "title": error.title,
                    "detail": error.detail,
                    "hint": error.hint and as_started(error.hint),
                    **error.extra,
                }
            }
        )
    title = Text(f"{error.title}.", style="bold red")
    between = " " if "\n" not in error.detail else "\n"
    ERR.print(Text.assemble(title, between, as_started(error.detail)))
    if error.hint:
        ERR.print(error.hint, markup=False, style="cyan")
