"""How old somebody is, and who is old enough."""

from datetime import date

from handfast.apps.people.errors import ProfileInvalid

AGE_MIN, AGE_MAX = 18, 120  # years


def age_on(birth: date, day: date) -> int:
    """Whole years. Who was born on 29 February has a birthday on 1 March in other years."""
    return day.year - birth.year - ((day.month, day.day) < (birth.month, birth.day))


def check_birth(birth: date, today: date) -> None:
    """``today`` is a date in UTC: nobody is let in early, wherever they live."""
    if birth > today:
        raise ProfileInvalid("birthDate is in the future.", hint="Write it as YYYY-MM-DD.")
    years = age_on(birth, today)
    if years < AGE_MIN:
        raise ProfileInvalid(
            f"People here are {AGE_MIN} or older.", hint=f"Come back when you are {AGE_MIN}."
        )
    if years > AGE_MAX:
        raise ProfileInvalid(
            f"birthDate would make an age above {AGE_MAX}.", hint="Write it as YYYY-MM-DD."
        )
