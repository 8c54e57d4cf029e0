"""Dead letters by the thousand."""

from handfast.db.pool import Database

PART = 10_000  # in one transaction


async def make_dead(database: Database, kind: str, count: int, lane: str = "default") -> None:
    """Keys are numbers; each died at its first attempt, of a logic error."""
    for first in range(0, count, PART):
        async with database.transaction() as tx:
            await tx.fetch(
                "SELECT * FROM handfast_engine.enqueue_many($1,"
                " ARRAY(SELECT n::text FROM generate_series($2::int, $3::int) AS n),"
                " (SELECT array_agg('{}'::jsonb) FROM generate_series($2::int, $3::int)), NULL,"
                " jsonb_build_object('lane', $4::text))",
                kind,
                first + 1,
                min(first + PART, count),
                lane,
            )
            await tx.fetchval(
                "SELECT count(handfast_engine.fail(c.id, c.token, 'logic', 'boom'))"
                " FROM handfast_engine.claim(NULL, ARRAY[$1], $2, interval '1 hour', NULL,"
                " ARRAY[$3]) AS c",
                lane,
                PART,
                kind,
            )
