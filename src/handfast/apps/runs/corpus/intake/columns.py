"""What a file of each part holds, and whether a header has it. Said up front, by name."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from handfast.apps.runs.corpus.scores.weights import SIGNALS
from handfast.apps.runs.corpus.versions.parts import CorpusPart
from handfast.apps.runs.errors import CorpusColumnsWrong


@dataclass(frozen=True)
class Columns:
    required: tuple[str, ...]
    optional: tuple[str, ...]

    @property
    def known(self) -> tuple[str, ...]:
        return self.required + self.optional


FILES: dict[CorpusPart, Columns] = {
    CorpusPart.STARTUPS: Columns(
        ("startup_id", "name", "url"), ("stage", "country", "sectors", "raising", "pitch")
    ),
    CorpusPart.INVESTORS: Columns(
        ("investor_id", "name"),
        ("url", "stages", "countries", "sectors", "cheque_min", "cheque_max", "thesis", "deals"),
    ),
    CorpusPart.MATCHES: Columns(
        ("startup_id", "investor_id", "score"),
        SIGNALS,
    ),
}

# Ours, and made anew for each version: a dump of our own tables has them.
COMPUTED = frozenset({"version", "canonical_url", "deals"})


def check_columns(
    part: CorpusPart, header: Sequence[str], where: str, *, ignore_unknown: bool = False
) -> None:
    """Everything that is wrong with a header, at once."""
    wanted = FILES[part]
    missing = [name for name in wanted.required if name not in header]
    unknown = [name for name in header if name not in wanted.known and name not in COMPUTED]
    twice = sorted({name for name in header if header.count(name) > 1})
    said = []
    if missing:
        said.append(f"{_listed(missing)} {'is' if len(missing) == 1 else 'are'} missing")
    if unknown and not ignore_unknown:
        said.append("unknown: " + ", ".join(_meant(name, wanted.known) for name in unknown))
    if twice:
        said.append(f"there twice: {_listed(twice)}")
    if not said:
        return
    raise CorpusColumnsWrong(
        f"{where}: {'; '.join(said)}.",
        hint=f"A file of {part.word} needs {', '.join(wanted.required)} and may have "
        f"{', '.join(wanted.optional)}.{_advice(header, unknown, missing)}",
        missing=missing,
        unknown=unknown,
    )


def _advice(header: Sequence[str], unknown: Sequence[str], missing: Sequence[str]) -> str:
    for mark, name in ((";", "semicolons"), ("\t", "tabs"), ("|", "bars")):
        if len(header) == 1 and mark in header[0]:
            return f" Its columns seem to be separated by {name}; commas are expected."
    if unknown and not missing:
        return " --ignore-unknown leaves the others out."
    return ""


def _listed(names: Sequence[str]) -> str:
    return ", ".join(repr(name) for name in names)


def _meant(name: str, known: Sequence[str]) -> str:
    close = difflib.get_close_matches(name, known, 1)
    return f"{name!r} (did you mean {close[0]!r}?)" if close else repr(name)
