"""Every error that Handfast raises on purpose, wherever its room is, and the tree as it is drawn in
the documentation: ``./run snapshot`` writes it there."""

import importlib
import pkgutil
import re
from pathlib import Path

import handfast
from handfast.base.errors import HandfastError

FILE = Path(__file__).parents[2] / "docs" / "reference" / "errors.md"
_BLOCK = re.compile(r"(<!-- the tree -->\n```text\n).*?(\n```)", re.DOTALL)


def every_error() -> list[type[HandfastError]]:
    """After importing every room: an error is known once its module is."""
    for module in pkgutil.walk_packages(handfast.__path__, "handfast."):
        if module.name.endswith(".errors"):
            importlib.import_module(module.name)
    found: list[type[HandfastError]] = []
    todo = [HandfastError]
    while todo:
        error = todo.pop()
        found.append(error)
        todo.extend(error.__subclasses__())
    return [error for error in found if error.__module__.startswith("handfast")]


def drawn() -> str:
    """The tree, each error with its exit code or status and the module that it lives in."""
    known = set(every_error())
    lines = [_line("", HandfastError)]

    def draw(error: type[HandfastError], indent: str) -> None:
        children = sorted(
            (one for one in error.__subclasses__() if one in known), key=lambda one: one.__name__
        )
        for child in children:
            last = child is children[-1]
            lines.append(_line(f"{indent}{'└── ' if last else '├── '}", child))
            draw(child, indent + ("    " if last else "│   "))

    draw(HandfastError, "")
    return "\n".join(lines)


def _line(branch: str, error: type[HandfastError]) -> str:
    home = error.__module__.removeprefix("handfast.").replace(".", "/")
    return f"{branch + error.__name__:<42} {error.status}  {error.exit_code:>2}  {home}"


def written(page: str) -> str:
    """The page with the tree as it is now."""
    return _BLOCK.sub(lambda found: f"{found[1]}{drawn()}{found[2]}", page)


if __name__ == "__main__":
    FILE.write_text(written(FILE.read_text()))
    print(f"wrote {FILE.name}")  # noqa: T201
