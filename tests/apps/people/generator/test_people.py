"""People who do not exist: the same for a seed, plausible, and their answers hang together."""

from collections import Counter
from datetime import UTC, datetime

import pytest

from handfast.apps.people.generator.loading import load_people
from handfast.apps.people.generator.people import MadeUp, made_up
from handfast.apps.people.profiles import text
from handfast.apps.people.profiles.age import age_on, check_birth
from handfast.apps.people.questions.answer import checked
from handfast.apps.people.questions.packed import unpack
from handfast.apps.people.questions.responses import QUESTIONS
from handfast.db.pool import Database
from handfast.engine.schedules.zones import zone_names

NOW = datetime(2026, 11, 17, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def people() -> list[MadeUp]:
    return list(made_up(3000, seed=7, now=NOW))


def test_each_is_made_from_the_seed_and_a_number(people: list[MadeUp]) -> None:
    assert list(made_up(5, seed=7, now=NOW, first=1998)) == people[1998:2003]
    assert people[0] != next(made_up(1, seed=8, now=NOW))
    assert len({one.id for one in people}) == len({one.phone for one in people}) == 3000


def test_pinned(people: list[MadeUp]) -> None:
    """Benches and demos of other days compare with these."""
    one = people[0]
    assert (one.phone, str(one.id)[:8]) == ("+99900700000000", str(one.id)[:8])
    assert [said.question.id for said in one.answers][:2] == [
        "after_a_quarrel",
        "saying_it_straight",
    ]


def test_they_are_people_that_the_api_would_take(people: list[MadeUp]) -> None:
    for one in people:
        check_birth(one.birth_date, NOW.date())
        assert text.name(one.name) == one.name
        assert text.bio(one.bio) == one.bio
        assert one.city.timezone in zone_names()
        assert one.min_age <= age_on(one.birth_date, NOW.date()) <= one.max_age
        for said in one.answers:
            assert checked(said.question, said.answer) == said.answer


def test_they_differ_as_people_do(people: list[MadeUp]) -> None:
    genders = Counter(one.gender for one in people)
    assert 0.4 < genders["male"] / 3000 < 0.6
    assert 0.4 < genders["female"] / 3000 < 0.6
    ages = sorted(age_on(one.birth_date, NOW.date()) for one in people)
    assert ages[0] < 20
    assert 25 < ages[1500] < 40
    assert ages[-1] > 55
    assert len({one.city for one in people}) > 35
    assert 0.8 < sum(one.verified and one.done and one.matching for one in people) / 3000 < 0.97
    for question in QUESTIONS.scored:
        said = Counter(
            str(a.answer) for one in people for a in one.answers if a.question is question
        )
        assert len(said) > 1, question.id
        assert said.most_common(1)[0][1] < 0.9 * said.total(), question.id


def test_answers_hang_together(people: list[MadeUp]) -> None:
    """Two sliders that lean on the same trait go together more than chance would have it."""
    sliders = [one.id for one in QUESTIONS.scored if one.type == "slider"]
    columns = {
        name: [a.answer for one in people if one.done for a in one.answers if a.question.id == name]
        for name in sliders
    }
    strongest = max(
        abs(correlation(columns[one], columns[other]))
        for one in sliders
        for other in sliders
        if one < other
    )
    assert strongest > 0.3


def correlation(xs: list[int], ys: list[int]) -> float:
    count, mean_x, mean_y = len(xs), sum(xs) / len(xs), sum(ys) / len(ys)
    both = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True)) / count
    var_x = sum((x - mean_x) ** 2 for x in xs) / count
    var_y = sum((y - mean_y) ** 2 for y in ys) / count
    return float(both / (var_x * var_y) ** 0.5)


async def test_they_are_loaded_and_more_can_follow(database: Database) -> None:
    assert await load_people(database, 300, seed=7) == 0
    assert await load_people(database, 200, seed=7, responses=False) == 300
    async with database.connection() as connection:
        counted = await connection.fetch(
            "SELECT status, count(*) AS users FROM handfast_people.users GROUP BY 1"
        )
        pool = await connection.fetch("SELECT id, answers FROM handfast_people.pool")
        responses = await connection.fetchval(
            "SELECT count(*) FROM handfast_people.compatibility_responses"
        )
    status = {row["status"]: row["users"] for row in counted}
    assert sum(status.values()) == 500
    assert set(status) == {"active", "pending_verification", "non_matching"}
    assert 0 < len(pool) <= status["active"]
    assert 300 * 20 < responses <= 300 * len(QUESTIONS.scored)
    for row in pool[:20]:
        assert len(unpack(QUESTIONS, row["answers"])) == len(QUESTIONS.scored)
