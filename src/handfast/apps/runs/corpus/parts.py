"""The three tables of the corpus, and what they are called in a version."""

from enum import StrEnum


class Part(StrEnum):
    """Named as a person would; the value is the table's name."""

    STARTUPS = "startup_uploads"
    INVESTORS = "investors"
    MATCHES = "startup_investor_matches"

    @property
    def word(self) -> str:
        return self.name.lower()

    def table(self, version: int) -> str:
        """The table of one version, without its schema: as ``runs.begin_corpus`` names it."""
        return f"{self.value}_v{version:d}"


# In the order in which rows are handed to COPY.
COLUMNS: dict[Part, tuple[str, ...]] = {
    Part.STARTUPS: (
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
    Part.INVESTORS: (
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
    Part.MATCHES: (
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
