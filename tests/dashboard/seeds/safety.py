"""Six people, and what two of them report."""

from handfast.apps.people.generator.loading import load_people
from handfast.db.pool import Database

DESCRIPTION = "<script>complain('xss')</script> asked me for money"


async def seed(database: Database) -> None:
    await load_people(database, 6, seed=22, responses=False)
    async with database.transaction() as tx:
        users = [row["id"] for row in await tx.fetch("SELECT id FROM handfast_people.users")]
        for reporter, category, severity in (
            (users[0], "scam", "high"),
            (users[1], "child_safety", "critical"),
        ):
            await tx.execute(
                "INSERT INTO handfast_people.reports"
                " (id, reporter_id, user_id, created_at, type, subject_id, category, severity,"
                " description)"
                " VALUES (gen_random_uuid(), $1, $2, handfast_db.now(), 'user', $2, $3, $4, $5)",
                reporter,
                users[2],
                category,
                severity,
                DESCRIPTION,
            )
