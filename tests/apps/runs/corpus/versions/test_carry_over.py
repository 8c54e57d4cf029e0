"""What is carried over is whole: the statements name every column that a version has."""

import re

import pytest

from handfast.apps.runs.corpus.versions.carry_over import _CARRY
from handfast.apps.runs.corpus.versions.parts import COLUMNS, SCHEMA, CorpusPart
from handfast.db.pool import Database


@pytest.mark.parametrize("part", CorpusPart)
async def test_every_column_is_carried(database: Database, part: CorpusPart) -> None:
    listed = re.search(r"INSERT INTO \{\w+\}\s+\(([^)]*)\)", _CARRY[part].text)
    assert listed is not None
    assert tuple(listed[1].split(", ")) == COLUMNS[part]
    async with database.connection() as connection:
        known = await connection.fetch(
            "SELECT column_name FROM information_schema.columns"
            " WHERE table_schema = $1 AND table_name = $2",
            SCHEMA,
            part.value,
        )
    assert {row["column_name"] for row in known} == set(COLUMNS[part])
