"""Figures over time."""

import msgspec

from handfast.engine.operating.figures import KindFigures, TickDay


class FiguresOfKinds(msgspec.Struct, rename="camel"):
    kinds: list[KindFigures]


class TickDays(msgspec.Struct, rename="camel"):
    days: list[TickDay]
