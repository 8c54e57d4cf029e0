"""What a page of the site shows, and what its source means: headings, tables and lists.

Of words only letters and digits are compared: emphasis, code and links are the renderer's business.
"""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

_FENCE = re.compile(r"^( *)(`{3,}).*?^\1\2\s*$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")


@dataclass
class Parts:
    """Headings with their level, the rows of each table, and how many items all lists have."""

    headings: list[tuple[int, str]] = field(default_factory=list)
    tables: list[list[str]] = field(default_factory=list)
    items: int = 0


def letters(text: str) -> str:
    return re.sub(r"[\W_]", "", text)


def meant(source: str) -> Parts:
    parts = Parts()
    in_table = False
    for line in _FENCE.sub("", source).splitlines():
        if heading := re.match(r"(#{1,6}) (.+)", line):
            parts.headings.append((len(heading[1]), letters(_LINK.sub(r"\1", heading[2]))))
        if row := re.match(r" *\|(.*)", line):
            if not in_table:
                parts.tables.append([])
            if not re.fullmatch(r"[-|: ]+-[-|: ]*", row[1]):
                parts.tables[-1].append(letters(_LINK.sub(r"\1", row[1])))
        in_table = row is not None
        parts.items += re.match(r" *(?:[-*]|\d+\.) ", line) is not None
    return parts


class _Reader(HTMLParser):
    """Of the article only; the links beside its headings are no part of them."""

    def __init__(self) -> None:
        super().__init__()
        self.parts = Parts()
        self._article = False
        self._heading = 0
        self._row = False
        self._permalink = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._article |= tag == "article"
        if not self._article:
            return
        if re.fullmatch(r"h[1-6]", tag):
            self._heading = int(tag[1])
            self.parts.headings.append((self._heading, ""))
        elif tag == "table":
            self.parts.tables.append([])
        elif tag == "tr":
            self._row = True
            self.parts.tables[-1].append("")
        self._permalink = ("class", "headerlink") in attrs
        self.parts.items += tag == "li"

    def handle_endtag(self, tag: str) -> None:
        self._article &= tag != "article"
        self._row &= tag != "tr"
        if re.fullmatch(r"h[1-6]", tag):
            self._heading = 0

    def handle_data(self, data: str) -> None:
        if self._heading and not self._permalink:
            level, text = self.parts.headings.pop()
            self.parts.headings.append((level, text + letters(data)))
        elif self._row:
            self.parts.tables[-1][-1] += letters(data)


def shown(html: str) -> Parts:
    reader = _Reader()
    reader.feed(html)
    return reader.parts
