"""A small corpus by plain INSERTs: a version's three partitions, filled, and made current."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from handfast.db.pool import Database

TABLES = ("startup_uploads", "investors", "startup_investor_matches")


async def add_version(
    database: Database,
    startups: Mapping[str, str],
    matches: Mapping[str, Sequence[tuple[str, int]]] | None = None,
    *,
    current: bool = True,
) -> int:
    """``startups`` is id to canonical URL; ``matches`` is startup to (investor, score)."""
    matches = matches or {}
    async with database.transaction() as tx:
        version: int = await tx.fetchval(
            "INSERT INTO handfast_runs.corpus_versions (made_at, source) VALUES"
            " (handfast_db.now(), 'test')"
            " RETURNING version"
        )
        for table in TABLES:
            await tx.execute(
                f"CREATE TABLE handfast_runs.{table}_{version} PARTITION OF handfast_runs.{table}"
                f" FOR VALUES IN ({version})"
            )
        await tx.executemany(
            "INSERT INTO handfast_runs.startup_uploads (version, startup_id, name, url,"
            " canonical_url,"
            " stage, country, sectors, raising, pitch)"
            " VALUES ($1, $2, $3, $4, $4, 'seed', 'DE', '{fintech,payments}', 1000000, 'Pays.')",
            [(version, startup, startup.title(), url) for startup, url in startups.items()],
        )
        investors = sorted({who for pairs in matches.values() for who, _ in pairs})
        await tx.executemany(
            "INSERT INTO handfast_runs.investors (version, investor_id, name, url, stages,"
            " countries,"
            " sectors, cheque_min, cheque_max, thesis)"
            " VALUES ($1, $2, $3, $4, '{seed}', '{DE,FR}', '{fintech}', 500000, 2000000, 'Money.')",
            [(version, who, who.title(), f"https://{who}.example") for who in investors],
        )
        await tx.executemany(
            "INSERT INTO handfast_runs.startup_investor_matches (version, startup_id,"
            " investor_id, score,"
            " sector, stage, geography, cheque, thesis)"
            " VALUES ($1, $2, $3, $4, 100, 100, 80, 60, -1)",
            [
                (version, startup, who, score)
                for startup, pairs in matches.items()
                for who, score in pairs
            ],
        )
        await tx.execute(
            "UPDATE handfast_runs.corpus_versions SET state = 'built', built_at ="
            " handfast_db.now(),"
            " startups = $2, investors = $3, matches = $4 WHERE version = $1",
            version,
            len(startups),
            len(investors),
            sum(map(len, matches.values())),
        )
    if current:
        await switch(database, version)
    return version


async def switch(database: Database, version: int) -> None:
    """Readers see this version from now on."""
    async with database.transaction() as tx:
        await tx.execute(
            "UPDATE handfast_runs.corpus_versions SET state = 'previous', left_at ="
            " handfast_db.now()"
            " WHERE state = 'current'"
        )
        await tx.execute(
            "UPDATE handfast_runs.corpus_versions SET state = 'current', switched_at ="
            " handfast_db.now()"
            " WHERE version = $1",
            version,
        )


async def retire(database: Database, version: int) -> None:
    """Its tables are gone; its row is kept by the runs that name it."""
    async with database.transaction() as tx:
        await tx.execute(
            "UPDATE handfast_runs.corpus_versions SET state = 'retired' WHERE version = $1", version
        )
        for table in TABLES:
            await tx.execute(f"DROP TABLE handfast_runs.{table}_{version}")


async def acme(database: Database, *, matches: int = 3, **options: Any) -> int:
    """One startup with matches (the scores fall, two of them equal), and one without any."""
    scores = [(f"inv-{n:03d}", 900 - n // 2) for n in range(matches)]
    return await add_version(
        database,
        {"acme": "https://acme.com", "lonely": "https://lonely.com"},
        {"acme": scores},
        **options,
    )


def as_role(dsn: str, role: str = "handfast_runs") -> str:
    """The same database, logged in as another role."""
    parts = urlsplit(dsn)
    return urlunsplit(parts._replace(netloc=f"{role}@{parts.netloc.rpartition('@')[2]}"))
