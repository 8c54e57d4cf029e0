"""A corpus of startups that have addresses and little else."""

from collections.abc import Iterable

import asyncpg

from handfast.apps.runs.urls import canonical_url


async def list_startups(connection: "asyncpg.Connection", urls: Iterable[str]) -> int:
    """A new version of the corpus, made the current one, with a startup for each URL."""
    await connection.execute(
        "UPDATE handfast_runs.corpus_versions SET state = 'previous' WHERE state = 'current'"
    )
    version: int = await connection.fetchval(
        """
        INSERT INTO handfast_runs.corpus_versions
            (state, made_at, built_at, switched_at, startups, investors, matches, source)
        VALUES ('current', handfast_db.now(), handfast_db.now(), handfast_db.now(), 0, 0, 0,
        'test') RETURNING version
        """
    )
    await connection.execute(
        f"CREATE TABLE handfast_runs.startup_uploads_{version} PARTITION OF"
        f" handfast_runs.startup_uploads "
        f"FOR VALUES IN ({version})"
    )
    await connection.copy_records_to_table(
        "startup_uploads",
        schema_name="handfast_runs",
        columns=["version", "startup_id", "name", "url", "canonical_url"],
        records=[(version, url, url, url, str(canonical_url(url))) for url in urls],
    )
    return version


async def startup_of(
    connection: "asyncpg.Connection", url: str, version: int | None = None
) -> str | None:
    """The id, which is the URL it was listed with, of the startup that a URL leads to."""
    found: str | None = await connection.fetchval(
        "SELECT startup_id FROM handfast_runs.resolve_startup_by_url($1, $2)", url, version
    )
    return found
