"""Tables for people, whatever the width of their terminal.

Nothing is ever cut: an id that is not whole is no id, and two rows that look the same might as well
be one. What does not fit into a line goes on in the next one, below its row. Only prose is broken,
between words. Into a pipe each row is one line, however long.
"""

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from handfast.edge.cli.speaking.output import broken

GAP = 2
PROSE_MIN = 18  # narrower than that, a sentence is better off in a line of its own
INDENT_MAX = 10


class Listing:
    """Rows under titles. ``prose`` and ``right`` name the columns that may be broken between words
    and those of figures; ``tied`` those that stay in one line with the next. Texts are data; with
    ``markup`` they are Rich's markup. Not ``titled``: the titles only name the columns here."""

    def __init__(
        self,
        *titles: str,
        prose: Sequence[str] = (),
        right: Sequence[str] = (),
        tied: Sequence[str] = (),
        markup: bool = False,
        titled: bool = True,
    ) -> None:
        self.titles = [Text(title if titled else "", style="bold") for title in titles]
        self.rows: list[list[Text]] = []
        self._prose = [title in prose for title in titles]
        self._right = [title in right for title in titles]
        self._tied = [title in tied for title in titles]
        self._markup = markup

    def add_row(self, *cells: str | Text) -> None:
        self.rows.append([self._cell(cell) for cell in cells])

    def _cell(self, cell: str | Text) -> Text:
        if isinstance(cell, Text):
            return cell
        line = " ".join(cell.splitlines())
        return Text.from_markup(line, emoji=False) if self._markup else Text(line)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        rows = [self.titles, *self.rows] if any(self.titles) else self.rows
        widths = [
            max((cell.cell_len for cell in column), default=0) for column in zip(*rows, strict=True)
        ]
        if console.is_terminal:
            lines = self._lines(widths, options.max_width)
        else:
            lines = [list(range(len(widths)))]
        indent = min(widths[0] + GAP, INDENT_MAX) if lines else 0
        for row in rows:
            for number, line in enumerate(lines):
                cells = [self._placed(row[at], widths[at], at) for at in line]
                yield from _joined(cells, [widths[at] for at in line], indent if number else 0)

    def _lines(self, widths: list[int], room: int) -> list[list[int]]:
        """Which columns share a line. Narrows ``widths`` where prose has to give way."""
        least = [
            min(width, PROSE_MIN) if prose else width
            for width, prose in zip(widths, self._prose, strict=True)
        ]
        lines: list[list[int]] = []
        for unit in self._units():
            wanted = [*lines[-1], *unit] if lines else unit
            if lines and _length(least, wanted) <= room - _indent(lines[:-1]):
                lines[-1] = wanted
            elif _length(least, unit) <= room - _indent(lines):
                lines.append(unit)
            else:  # not even alone: tied or not
                lines += [[at] for at in unit]
        for number, line in enumerate(lines):
            spare = max(0, room - _indent(lines[:number]) - _length(least, line))
            for at in line:
                more = min(widths[at] - least[at], spare)
                widths[at] = least[at] + more
                spare -= more
        return lines

    def _units(self) -> Iterator[list[int]]:
        """Columns that are tied together, without those that say nothing."""
        unit: list[int] = []
        for at, tied in enumerate(self._tied):
            if any(row[at] for row in self.rows):
                unit.append(at)
            if unit and not tied:
                yield unit
                unit = []

    def _placed(self, cell: Text, width: int, at: int) -> list[Text]:
        if self._right[at]:
            return [Text(" " * (width - cell.cell_len)) + cell]
        return broken(cell, width) if self._prose[at] else [cell]


def _indent(before: list[list[int]]) -> int:
    return INDENT_MAX if before else 0


def _length(widths: list[int], columns: list[int]) -> int:
    return sum(widths[at] + GAP for at in columns) - GAP


def _joined(cells: list[list[Text]], widths: list[int], indent: int) -> Iterator[Text]:
    for parts in zip_longest(*cells, fillvalue=Text()):
        line = Text(" " * indent)
        for part, width in zip(parts, widths, strict=True):
            line += part + Text(" " * max(GAP, width - part.cell_len + GAP))
        line.rstrip()
        if line.plain:  # a line below the row that has nothing to say is left out
            yield line
