"""What is expected and missing."""

import msgspec
from msgspec.structs import replace

from handfast.edge.api.viewing import masked
from handfast.engine.gaps.listing import Gap, GapReport
from handfast.engine.gaps.mapping import GapMap
from handfast.engine.gaps.repair import RepairReport


class Gaps(msgspec.Struct, rename="camel"):
    expectations: list[GapReport]


class GapMaps(msgspec.Struct, rename="camel"):
    expectations: list[GapMap]


class Repaired(msgspec.Struct, rename="camel"):
    expectations: list[RepairReport]


def gaps_for_viewers(answer: Gaps) -> Gaps:
    return Gaps(
        [
            replace(report, gaps=[_gap(gap) for gap in report.gaps], error=masked(report.error))
            for report in answer.expectations
        ]
    )


def maps_for_viewers(answer: GapMaps) -> GapMaps:
    return GapMaps([replace(one, error=masked(one.error)) for one in answer.expectations])


def _gap(gap: Gap) -> Gap:
    return replace(gap, error=masked(gap.error))
