"""A corpus of two startups."""

from handfast.db.pool import Database
from tests.support.corpus_rows import add_version


async def seed(database: Database) -> None:
    startups = {"acme": "https://acme.com", "elm": "https://elm.example"}
    await add_version(database, startups, {"acme": [("oak", 900), ("birch", 640)]})
