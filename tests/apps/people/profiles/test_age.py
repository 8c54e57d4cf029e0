from datetime import date

import pytest

from handfast.apps.people.errors import ProfileInvalid
from handfast.apps.people.profiles.age import age_on, check_birth

TODAY = date(2026, 11, 17)


@pytest.mark.parametrize(
    ("birth", "day", "age"),
    [
        (date(2008, 11, 17), TODAY, 18),
        (date(2008, 11, 18), TODAY, 17),
        (date(2008, 2, 29), date(2026, 2, 28), 17),
        (date(2008, 2, 29), date(2026, 3, 1), 18),
        (date(1906, 11, 17), TODAY, 120),
    ],
)
def test_whole_years(birth: date, day: date, age: int) -> None:
    assert age_on(birth, day) == age


@pytest.mark.parametrize("birth", [date(2008, 11, 17), date(1905, 11, 18)])
def test_the_youngest_and_the_oldest_are_taken(birth: date) -> None:
    check_birth(birth, TODAY)


@pytest.mark.parametrize(
    ("birth", "why"),
    [
        (date(2026, 11, 18), "future"),
        (date(2026, 11, 17), "18 or older"),
        (date(2008, 11, 18), "18 or older"),
        (date(1905, 11, 17), "above 120"),
        (date(1, 1, 1), "above 120"),
    ],
)
def test_others_are_refused(birth: date, why: str) -> None:
    with pytest.raises(ProfileInvalid, match=why):
        check_birth(birth, TODAY)
