"""Kilometres as squared chords: the table that distances are compared with.

Places are points in integers on a sphere, in units of 10 m. The table comes from decimal
arithmetic, which is the same on every machine; the sine of a C library is not.
"""

from decimal import Decimal, localcontext

DISTANCE_MAX_KM = 500
RADIUS = 637_100  # units: as the schema of people stores places
EARTH_METRES = 6_371_009


def squared_chord(km: int) -> int:
    """The longest squared chord of two places that are at most so far apart."""
    with localcontext() as context:
        context.prec = 50
        square = (Decimal(km) * 1000 / EARTH_METRES) ** 2
        term = total = square / 2  # of 1 - cos, by its series
        for n in range(2, 12):
            term = -term * square / ((2 * n - 1) * (2 * n))
            total += term
        return int(2 * Decimal(RADIUS) ** 2 * total)


SQUARED_CHORDS = (0, *(squared_chord(km) for km in range(1, DISTANCE_MAX_KM + 1)))
