"""A latitude and a longitude become a point in integers, once, when they are set.

Sine and cosine differ between machines in the last bit, and offers must come out the same on each
of them. So the point on the sphere is rounded to units of 10 m where the place is stored, and from
then on everybody computes with three integers: two places are as far apart as their chord.
"""

import math

import msgspec

UNIT_METRES = 10
EARTH_METRES = 6_371_009  # the mean radius
RADIUS = EARTH_METRES // UNIT_METRES  # in units: a coordinate fits 21 bits, a squared chord 42
DECIMALS = 5  # of a degree, about a metre: more says nothing, and the point is rounded anyway
DISTANCE_MAX_KM = 500


class Point(msgspec.Struct, frozen=True):
    x: int
    y: int
    z: int


def point(latitude: float, longitude: float) -> Point:
    lat, lon = math.radians(latitude), math.radians(longitude)
    return Point(
        round(RADIUS * math.cos(lat) * math.cos(lon)),
        round(RADIUS * math.cos(lat) * math.sin(lon)),
        round(RADIUS * math.sin(lat)),
    )


def rounded(degrees: float) -> float:
    return round(degrees, DECIMALS) + 0.0  # no minus zero


def squared_chord(one: Point, other: Point) -> int:
    return (one.x - other.x) ** 2 + (one.y - other.y) ** 2 + (one.z - other.z) ** 2


def squared_chord_of_km(km: int) -> int:
    """The longest squared chord of two places that are at most so far apart."""
    return math.floor((2 * RADIUS * math.sin(km * 1000 / EARTH_METRES / 2)) ** 2)
