"""How the command line speaks: tables for people, JSON for programs, one paragraph for errors."""

import sys
from typing import Any

import msgspec
from rich.console import Console

from handfast.base.errors import HandfastError

# Data is printed as it is: `markup=False` or a Text for brackets, `emoji=False` for colons.
OUT = Console(highlight=False, soft_wrap=True, emoji=False)
ERR = Console(stderr=True, highlight=False, soft_wrap=True, emoji=False)


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
                    "hint": error.hint,
                    **error.extra,
                }
            }
        )
    ERR.print(f"[bold red]{error.title}.[/]", end=" " if "\n" not in error.detail else "\n")
    ERR.print(error.detail, markup=False)
    if error.hint:
        ERR.print(error.hint, markup=False, style="cyan")
