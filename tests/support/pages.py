"""What the documents show, and whether a program's output is what they show.

Some words of an output are another machine's, or another moment's. They are the ``PLACEHOLDERS``:
whatever one of them fits is the same as whatever else it fits. In a page "…" stands for anything,
and where a line breaks does not matter.
"""

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
OUTPUTS = ("text", "json", "http", "console")  # languages of fences that show what somebody says

PLACEHOLDERS = {
    "<time>": r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:\+00:00|Z| UTC)?",
    "<id>": r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    "<token>": r"hf_(?:admin|code)_[\w-]+…?",
    "<address>": r"127\.0\.0\.1:\d+",
    "<port>": r"\bPort \d+",
    "<size>": r"\d+(?:\.\d+)? (?:[KMG]iB|MB)",
    "<took>": r"\b\d+ ms\b",
    "<bytes>": r"(?<=\"databaseBytes\": )\d+",
    "<connections>": r"(?<=\"connections\": )\d+",
    "<transactions>": r"(?<=\"transactions\": )\d+",
    "<python>": r"\b3\.\d+\.\d+(?= at )",
    "<server>": r"\b1\d\.\d+\b",  # of PostgreSQL: the suite runs on several
}

_FENCE = re.compile(r"^( *)```(\w+)[^\n]*\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Fence:
    """``begins`` is how it is told from others: by its first words."""

    page: str
    language: str
    text: str

    @property
    def begins(self) -> str:
        return " ".join(self.text.split())[:100]


def fences(page: Path) -> list[Fence]:
    name = page.relative_to(ROOT).as_posix()
    return [Fence(name, found[2], found[3]) for found in _FENCE.finditer(page.read_text())]


def fence(page: str, begins: str) -> str:
    """The text of the one fence that begins so."""
    [found] = [one for one in fences(ROOT / page) if one.begins.startswith(begins)]
    return found.text


def is_shown(said: str, shown: str) -> bool:
    """Whether what was said is, word by word, what is shown."""
    return fits(_words(said), _words(shown))


def fits(line: str, wanted: str) -> bool:
    return re.fullmatch(".*".join(map(re.escape, wanted.split("…"))), line, re.DOTALL) is not None


def _words(text: str) -> str:
    for placeholder, pattern in PLACEHOLDERS.items():
        text = re.sub(pattern, placeholder, text)
    return " ".join(text.split())


def is_shown_as_json(said: Any, shown: str) -> bool:
    """The same for JSON, however either is laid out; the order of members counts."""
    return is_shown(_dumped(said), _dumped(json.loads(shown)))


def _dumped(value: Any) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False)


def form(value: Any) -> Any:
    """What a JSON document looks like, without its values: of a list, its first item; of names in
    both spellings, the camel's."""
    if isinstance(value, dict):
        return {name: form(one) for name, one in value.items() if "_" not in name}
    if isinstance(value, list):
        return [form(value[0])] if value else []
    return None


def at_home(said: str, home: Path) -> str:
    """As a person with a clone would see it: started by ``./run``, paths from their own folder."""
    for long, short in (
        (f"{sys.executable} -m handfast", "./run"),
        (sys.executable, ".venv/bin/python"),
        (str(home), "~"),
    ):
        said = said.replace(long, short)
    return said
