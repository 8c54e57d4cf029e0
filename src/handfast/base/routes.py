"""Which address a rule is about: path templates, and the one way to compare a path with them.

    PathTemplate("/runs/{run_id}").matches("/runs/7")            # True
    PathTemplate("/files/{rest:path}").matches("/files/a/b")     # True
    Route.parse("POST /runs/{run_id}").matches("POST", "/runs/7/")  # True

``{name}`` is one segment, also with a type (``{job_id:int}``, as frameworks write it): whether it
is a number is for the handler to say. ``{name:path}`` is all that is left. Servers and frameworks
take a trailing slash for the same address, and so do we: otherwise it would be the way around a
limit or a key.
"""

import re
from dataclasses import dataclass, field

_PLACEHOLDER = re.compile(r"\{[a-z_][a-z0-9_]*(?::(?P<type>[a-z]+))?\}", re.IGNORECASE)
_METHOD = re.compile("[A-Z]+")
_SLASHES = re.compile("/{2,}")

ANYTHING = "{}"  # what a template begins with that begins with a place


@dataclass(frozen=True, slots=True)
class PathTemplate:
    """A path with places in it. ``ValueError`` if it cannot be one."""

    text: str
    _pattern: re.Pattern[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.text.startswith("/"):
            raise ValueError(f"{self.text!r} is not a path: it has to begin with a slash")
        if re.search(r"[{}*]", _PLACEHOLDER.sub("", self.text)):
            raise ValueError(
                f"{self.text!r} is not a path: write {{name}} for one segment and {{rest:path}} "
                "for all that is left"
            )
        object.__setattr__(self, "_pattern", _compiled(self.text))

    def __str__(self) -> str:
        return self.text

    def matches(self, path: str) -> bool:
        return self._pattern.fullmatch(path) is not None


@dataclass(frozen=True, slots=True)
class Route:
    """A method and a template. ``str()`` gives ``"POST /runs/{run_id}"`` again."""

    method: str
    path: PathTemplate

    @classmethod
    def parse(cls, text: str) -> "Route":
        method, _, path = text.partition(" ")
        if not _METHOD.fullmatch(method) or not path.startswith("/"):
            raise ValueError(
                f"{text!r} is not a route: write a method and a path, as in "
                "'POST /stakes' or 'POST /matches/{id}/messages'"
            )
        return cls(method, PathTemplate(path))

    def __str__(self) -> str:
        return f"{self.method} {self.path}"

    def matches(self, method: str, path: str) -> bool:
        return method == self.method and self.path.matches(path)


def one_spelling(path: str) -> str:
    """The path without doubled and trailing slashes: what stands for all its spellings."""
    return _SLASHES.sub("/", path).rstrip("/") or "/"


def first_part(path: str) -> str:
    """What a path, or a template, begins with: by it a table of many need not try them all."""
    part = path.partition("/")[2].partition("/")[0]
    return ANYTHING if part.startswith("{") else part


def _compiled(template: str) -> re.Pattern[str]:
    pattern, end = "", 0
    for place in _PLACEHOLDER.finditer(template):
        pattern += re.escape(template[end : place.start()])
        pattern += ".*" if place["type"] == "path" else "[^/]+"
        end = place.end()
    pattern += re.escape(template[end:]).rstrip("/")
    return re.compile(pattern + "/*", re.DOTALL)
