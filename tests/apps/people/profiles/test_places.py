"""Places are integers, and distances by them are right to a few metres."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handfast.apps.people.profiles.places import (
    EARTH_METRES,
    RADIUS,
    point,
    rounded,
    squared_chord,
    squared_chord_of_km,
)

BERLIN, POTSDAM, SYDNEY = (52.52, 13.405), (52.39, 13.065), (-33.8688, 151.2093)


def great_circle(one: tuple[float, float], other: tuple[float, float]) -> float:
    """Metres, by the haversine."""
    (a, b), (c, d) = ((math.radians(x), math.radians(y)) for x, y in (one, other))
    h = math.sin((c - a) / 2) ** 2 + math.cos(a) * math.cos(c) * math.sin((d - b) / 2) ** 2
    return 2 * EARTH_METRES * math.asin(math.sqrt(h))


def test_pinned() -> None:
    """Stored once: whoever changes the arithmetic moves everybody."""
    assert tuple(getattr(point(*BERLIN), axis) for axis in "xyz") == (377104, 89874, 505581)
    assert tuple(getattr(point(-90, 180), axis) for axis in "xyz") == (0, 0, -RADIUS)


degrees = st.tuples(st.floats(-90, 90), st.floats(-180, 180))


@given(degrees, degrees)
def test_chords_are_great_circles(one: tuple[float, float], other: tuple[float, float]) -> None:
    chord = math.sqrt(squared_chord(point(*one), point(*other))) * 10
    arc = great_circle(one, other)
    assert chord == pytest.approx(2 * EARTH_METRES * math.sin(arc / EARTH_METRES / 2), abs=30)


def test_within_so_many_kilometres() -> None:
    between = squared_chord(point(*BERLIN), point(*POTSDAM))  # 27.2 km
    assert squared_chord_of_km(27) < between < squared_chord_of_km(28)
    assert squared_chord(point(*BERLIN), point(*SYDNEY)) > squared_chord_of_km(500)


def test_a_coordinate_is_rounded_to_a_metre() -> None:
    assert rounded(52.520008123) == 52.52001
    assert str(rounded(-0.000001)) == "0.0"
