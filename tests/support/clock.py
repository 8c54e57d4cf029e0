"""Time, held still, for a whole database and every process that uses it."""

from datetime import datetime

from handfast.db.pool import Database


async def freeze(database: Database, at: datetime | None) -> None:
    """``handfast_db.now()`` answers ``at`` on every connection made from now on; None lets it
    run again."""
    async with database.connection() as connection:
        name = await connection.fetchval("SELECT quote_ident(current_database())")
        change = f"SET handfast.now = '{at.isoformat()}'" if at else "RESET handfast.now"
        await connection.execute(f"ALTER DATABASE {name} {change}")
    await database.renew_connections()
