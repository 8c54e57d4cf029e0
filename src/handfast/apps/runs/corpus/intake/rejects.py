"""Rows that were set aside: each with its line, the reason and what it said, in a CSV beside the
file, for somebody to put right and load again. And when there are so many that there is no hope.
"""

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TextIO

from handfast.apps.runs.errors import CorpusFileUnreadable, CorpusTooManyBadRows
from handfast.base.errors import InvalidRequest

SHARE_MAX = 0.10  # of the rows; more is no slip but another kind of file
JUDGED_FROM = 10_000  # rows; before, a bad beginning says nothing about the rest
SHOWN = 5


@dataclass(frozen=True)
class MaxBad:
    """How many rows may be bad before the file is given up: a share of them, or a number."""

    share: float | None = SHARE_MAX
    count: int | None = None

    @classmethod
    def parse(cls, said: str) -> Self:
        """``10%`` or ``250``."""
        found = re.fullmatch(r"(\d+(?:\.\d+)?)(%?)", said.strip())
        if found is None or (found[2] and float(found[1]) > 100) or (not found[2] and "." in said):
            raise InvalidRequest(
                f"--max-bad is {said!r}.", hint="Allowed: a share such as 10%, or a number of rows."
            )
        if found[2]:
            return cls(share=float(found[1]) / 100)
        return cls(share=None, count=int(found[1]))

    def allowed(self, rows: int) -> int:
        return self.count if self.count is not None else int((self.share or 0) * rows)

    def __str__(self) -> str:
        if self.share is None:
            return f"{self.count:,} rows"
        return f"{self.share * 100:g} % of them"


@dataclass
class Rejects:
    """The rows of one file that were set aside. The CSV is made with the first of them."""

    where: str
    header: Sequence[str]
    path: Path
    most: MaxBad = field(default_factory=MaxBad)
    bad: int = 0
    first: list[tuple[int, str]] = field(default_factory=list)
    _file: TextIO | None = None
    _writer: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _: type[BaseException] | None,
        __: BaseException | None,
        ___: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.close()

    def add(self, line: int, reason: str, row: Sequence[Any] = ()) -> None:
        if self._file is None:
            self._open()
        self.bad += 1
        if len(self.first) < SHOWN:
            self.first.append((line, reason))
        self._writer.writerow([line, reason, *map(_plain, row)])

    def judge(self, rows: int, *, whole: bool) -> None:
        """Give the file up if too many of ``rows`` are bad; early, when that is plain early."""
        allowed = self.most.allowed(rows)
        early = self.most.count is not None or rows >= JUDGED_FROM
        if self.bad <= allowed or not (whole or early):
            return
        lines = "; ".join(f"line {line}: {reason}" for line, reason in self.first)
        raise CorpusTooManyBadRows(
            f"{self.where}: {self.bad:,} of {rows:,} rows are bad, more than {self.most}. {lines}",
            hint=f"Nothing was switched. All that were found are in {self.path}. Put the file "
            "right, or allow more with --max-bad.",
            bad=self.bad,
            rows=rows,
            rejects=str(self.path),
        )

    def _open(self) -> None:
        try:
            self._file = self.path.open("w", encoding="utf-8", errors="surrogateescape", newline="")
        except OSError as error:
            raise CorpusFileUnreadable(
                f"Bad rows cannot be set aside in {self.path}: {error.strerror}.",
                hint="Name a file that can be written with --rejects.",
            ) from error
        self._writer = csv.writer(self._file)
        self._writer.writerow(["line", "reason", *self.header])


def _plain(value: Any) -> str:
    if value is None:
        return ""
    return ";".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
