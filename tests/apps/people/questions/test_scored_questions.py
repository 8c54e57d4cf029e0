"""What the packed answers are to, as other schemas read it."""

from handfast.apps.people.questions.responses import QUESTIONS
from handfast.db.pool import Database


async def test_the_view_has_the_questions_that_are_scored(database: Database) -> None:
    sql = """
        SELECT id, construct, type, size FROM handfast_people.scored_questions
        WHERE version = $1 ORDER BY place
    """
    async with database.connection() as connection:
        found = [tuple(row) for row in await connection.fetch(sql, QUESTIONS.version)]
    assert found == [
        (one.id, one.construct, one.type, one.steps or len(one.options)) for one in QUESTIONS.scored
    ]
