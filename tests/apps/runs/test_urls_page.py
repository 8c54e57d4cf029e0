"""The tables of docs/concepts/urls.md are what happens."""

import re
from pathlib import Path

import asyncpg
import pytest

from handfast.apps.runs.errors import InvalidUrl
from handfast.apps.runs.urls import canonical_url
from tests.support.startups import list_startups, startup_of

PAGE = (Path(__file__).parents[3] / "docs/concepts/urls.md").read_text()


def table(head: str) -> list[tuple[str, str]]:
    """The two columns of the table with this head, without back quotes."""
    body = PAGE.split(f"| {head} |\n|---|---|\n")[1].split("\n\n")[0]
    rows = [re.fullmatch(r"\| `(.+?)` \| (.+) \|", line) for line in body.strip().splitlines()]
    return [(row[1], row[2].strip("`")) for row in rows if row] if all(rows) else []


def test_the_canonical_forms() -> None:
    rows = table("typed | canonical")
    assert len(rows) >= 8
    assert [(typed, str(canonical_url(typed))) for typed, _ in rows] == rows


def test_the_refused() -> None:
    rows = table("typed | why")
    assert len(rows) >= 8
    for typed, _ in rows:
        with pytest.raises(InvalidUrl):
            canonical_url(typed)


async def test_the_startups(connection: "asyncpg.Connection") -> None:
    listed = re.findall(r"`(.+?)`", PAGE.split("With these startups listed:")[1].split("\n")[0])
    assert len(listed) == 6
    await list_startups(connection, listed)
    rows = table("URL | startup")
    assert len(rows) >= 12
    for url, startup in rows:
        assert (await startup_of(connection, url) or "none") == startup


async def test_the_statements(connection: "asyncpg.Connection") -> None:
    statements = re.findall(r"```sql\n(.+?)```", PAGE, re.DOTALL)
    assert len(statements) == 2
    for statement in statements:
        await connection.execute(statement)
    alias = await connection.fetchrow("SELECT canonical_url, target FROM handfast_runs.aliases")
    assert tuple(alias or ()) == ("https://old-acme.com", "https://acme.com")
