"""The three tables of the corpus, and what they are called in a version."""

from enum import StrEnum

from handfast.db.templates import Identifier

SCHEMA = "handfast_runs"
PART_SECONDS_MAX = 3600.0  # for a statement that goes over a whole part, of any size, on any disk


class CorpusPart(StrEnum):
    """Named as a person would; the value is the table's name."""

    STARTUPS = "startup_uploads"
    INVESTORS = "investors"
    MATCHES = "startup_investor_matches"

    @property
    def word(self) -> str:
        return self.name.lower()

    def table(self, version: int) -> str:
        """The table of one version, without its schema: as ``handfast_runs.begin_corpus`` names
        it."""
        return f"{self.value}_v{version:d}"

    @property
    def parent(self) -> Identifier:
        """The table of which the versions' are partitions: it has the same columns."""
        return Identifier(SCHEMA, self.value)


# In the order in which rows are handed to COPY.
COLUMNS: dict[CorpusPart, tuple[str, ...]] = {
    CorpusPart.STARTUPS: (
        "version",
        "raising",
        "startup_id",
        "name",
        "url",
        "canonical_url",
        "stage",
        "country",
        "sectors",
        "pitch",
    ),
    CorpusPart.INVESTORS: (
        "version",
        "cheque_min",
        "cheque_max",
        "investor_id",
        "name",
        "url",
        "stages",
        "countries",
        "sectors",
        "thesis",
        "deals",
    ),
    CorpusPart.MATCHES: (
        "version",
        "score",
        "sector",
        "stage",
        "geography",
        "cheque",
        "thesis",
        "activity",
        "deals",
        "startup_id",
        "investor_id",
    ),
}
