"""What a new version takes over from an old one, without leaving the database."""

from types import NoneType

from handfast.apps.runs.corpus.build import Build
from handfast.apps.runs.corpus.parts import COLUMNS, Part
from handfast.db.statements import statement

_TAKE_OVER_WEIGHTS = statement("runs.take_over_weights", row=NoneType)

# Rows of the old version (o) that have no place in the new one. $1 is the old version's number.
_NOT_AGAIN = {
    Part.STARTUPS: "NOT EXISTS (SELECT FROM {startups} AS n WHERE n.startup_id = o.startup_id)"
    " AND NOT EXISTS (SELECT FROM {startups} AS n WHERE n.canonical_url = o.canonical_url)",
    Part.INVESTORS: "NOT EXISTS (SELECT FROM {investors} AS n WHERE n.investor_id = o.investor_id)",
    Part.MATCHES: "NOT EXISTS (SELECT FROM {matches} AS n"
    " WHERE n.startup_id = o.startup_id AND n.investor_id = o.investor_id)",
}
_STILL_THERE = "EXISTS (SELECT FROM {startups} AS s WHERE s.startup_id = o.startup_id)"


async def carry_over(build: Build, part: Part, version: int) -> int:
    """Copy what ``version`` has and the new one does not; answers how many rows that were.

    A row of the same id counts as there already, and so does a startup of the same address. Pairs
    come along if both sides did, so they go last, and take the investor's deals from the new one.
    """
    columns = COLUMNS[part][1:]
    taken = ", ".join(f"o.{column}" for column in columns)
    where = [_NOT_AGAIN[part]] + ([_STILL_THERE] if part is Part.MATCHES else [])
    condition = " AND ".join(where).format(
        startups=build.table(Part.STARTUPS),
        investors=build.table(Part.INVESTORS),
        matches=build.table(Part.MATCHES),
    )
    beside = ""
    if part is Part.MATCHES:  # what the new version knows of the investor, not what the old one did
        taken = taken.replace("o.deals", "coalesce(d.deals, -1)")
        beside = f"JOIN {build.table(Part.INVESTORS)} AS d ON d.investor_id = o.investor_id"
    async with build.database.connection() as connection:
        for known in (Part.STARTUPS, Part.INVESTORS):
            await connection.execute(f"ANALYZE {build.table(known)}")
        done = await connection.execute(
            f"INSERT INTO {build.table(part)} (version, {', '.join(columns)})"  # noqa: S608  # ours
            f" SELECT {build.version}, {taken}"
            f" FROM runs.{part.value} AS o {beside} WHERE o.version = $1 AND {condition}"
            f" ORDER BY {_ORDER[part]}",
            version,
        )
    return int(done.rpartition(" ")[2])


async def take_over_weights(build: Build, version: int) -> None:
    """The pairs are all of ``version``, so they were scored with its weights."""
    async with build.database.connection() as connection:
        await _TAKE_OVER_WEIGHTS.run(connection, build.version, version)


_ORDER = {
    Part.STARTUPS: "o.startup_id",
    Part.INVESTORS: "o.investor_id",
    Part.MATCHES: "o.startup_id, o.score DESC, d.deals DESC NULLS LAST, o.investor_id",
}
