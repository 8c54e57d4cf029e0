"""A weekend that comes: its steps wait for their times."""

from datetime import UTC, datetime, timedelta

from handfast.apps.fixtures.facade import Fixture, Fixtures
from handfast.db.pool import Database

IN_HOURS = {"Derby": 5, "Cup": 20, "Last": 47}


async def seed(database: Database) -> None:
    now = datetime.now(UTC)
    matches = [
        Fixture(
            external_id=name,
            home=f"{name} <i>home</i>",
            away=f"{name} away",
            kickoff=now + timedelta(hours=hours),
        )
        for name, hours in IN_HOURS.items()
    ]
    async with database.transaction() as tx:
        await Fixtures(database).put(tx, "test.1", matches, pipeline="football", name="Test league")
