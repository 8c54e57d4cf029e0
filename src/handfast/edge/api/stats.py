"""Figures and alerts."""

import msgspec

from handfast.engine.operating.alerts import Alert
from handfast.engine.operating.stats import Stats


class StatsView(msgspec.Struct, rename="camel"):
    stats: Stats
    alerts: list[Alert]
