"""Why an investor suits a startup: each signal, how well it agrees, and in words.

One pure function of what the corpus holds. How well a signal agrees was computed when the corpus
was scored; here it only gets its words, so the two can never contradict each other.
"""

from collections.abc import Mapping, Sequence

import msgspec

SILENT = -1  # in the corpus: one of the two sides says nothing of it
WELL = 70  # from here on two sides that share no word are called close


class ExplainedStartup(msgspec.Struct, frozen=True, rename="camel"):
    """What the corpus says of a startup."""

    name: str
    stage: str | None = None
    country: str | None = None
    raising: int | None = None
    sectors: list[str] = []


class ExplainedInvestor(msgspec.Struct, frozen=True, rename="camel"):
    """What the corpus says of an investor."""

    name: str
    stages: list[str] = []
    countries: list[str] = []
    sectors: list[str] = []
    cheque_min: int | None = None
    cheque_max: int | None = None
    deals: int | None = None


class Parts(msgspec.Struct, frozen=True):
    """How well each signal agrees, from 0 to 100; -1 where a side is silent."""

    sector: int
    stage: int
    geography: int
    cheque: int
    thesis: int
    activity: int = SILENT


class Signal(msgspec.Struct, frozen=True, rename="camel"):
    """``weight`` is what it counted when the corpus was scored, beside those of the others; None
    where the pairs were not scored by us."""

    signal: str
    agrees: int | None
    says: str
    weight: int | None = None


def explain(
    parts: Parts,
    startup: ExplainedStartup,
    investor: ExplainedInvestor,
    weights: Mapping[str, int] | None = None,
) -> list[Signal]:
    """The six signals, always all of them, always in this order."""
    said = [
        _signal("sector", parts.sector, _sector(parts.sector, startup, investor)),
        _signal("stage", parts.stage, _stage(parts.stage, startup, investor)),
        _signal("geography", parts.geography, _geography(parts.geography, startup, investor)),
        _signal("cheque", parts.cheque, _cheque(parts.cheque, startup, investor)),
        _signal("thesis", parts.thesis, _thesis(parts.thesis)),
        _signal("activity", parts.activity, _activity(investor)),
    ]
    if weights is None:
        return said
    return [msgspec.structs.replace(one, weight=weights.get(one.signal, 0)) for one in said]


def _signal(name: str, part: int, says: str) -> Signal:
    if part == SILENT:
        return Signal(name, None, f"one side says nothing of {_SILENT[name]}")
    return Signal(name, part, says)


_SILENT = {
    "sector": "its sectors",
    "stage": "stages",
    "geography": "places",
    "cheque": "amounts",
    "thesis": "what it looks for",
    "activity": "how many companies it has backed",
}


def _sector(part: int, startup: ExplainedStartup, investor: ExplainedInvestor) -> str:
    common = [sector for sector in startup.sectors if sector in investor.sectors]
    if common:
        return f"both work in {listed(common)}"
    theirs, ours = listed(investor.sectors), listed(startup.sectors)
    return f"{theirs} is close to {ours}" if part >= WELL else f"{theirs}, not {ours}"


def _stage(part: int, startup: ExplainedStartup, investor: ExplainedInvestor) -> str:
    if startup.stage in investor.stages:
        return f"invests at {startup.stage}"
    near = "next to" if part > 0 else "not at"
    return f"invests at {listed(investor.stages)}, {near} {startup.stage}"


def _geography(part: int, startup: ExplainedStartup, investor: ExplainedInvestor) -> str:
    if startup.country in investor.countries:
        return f"invests in {startup.country}"
    if part >= WELL:
        return f"invests near {startup.country}"
    return f"invests in {listed(investor.countries)}, not in {startup.country}"


def _cheque(part: int, startup: ExplainedStartup, investor: ExplainedInvestor) -> str:
    raising = "an unknown amount" if startup.raising is None else dollars(startup.raising)
    span = _span(investor.cheque_min, investor.cheque_max)
    fits = "fits" if part >= WELL else "partly fits" if part > 0 else "does not fit"
    return f"a cheque of {span} {fits} a round of {raising}"


def _thesis(part: int) -> str:
    if part >= WELL:
        return "the pitch is what the thesis asks for"
    return "the pitch touches the thesis" if part > 0 else "the pitch is not in the thesis"


def _activity(investor: ExplainedInvestor) -> str:
    if not investor.deals:
        return "has backed no company yet"
    return f"has backed {investor.deals:,} {'company' if investor.deals == 1 else 'companies'}"


def _span(least: int | None, most: int | None) -> str:
    if least is None or most is None:
        only = most if least is None else least
        return "any size" if only is None else dollars(only)
    return dollars(least) if least == most else f"{dollars(least)} to {dollars(most)}"


def listed(words: Sequence[str], most: int = 3) -> str:
    """``a, b and c``; a long list is cut and says so."""
    if not words:
        return "nothing in particular"
    shown = [*words[:most], f"{len(words) - most} more"] if len(words) > most else list(words)
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def dollars(amount: int) -> str:
    """``$1.5M``: whole US dollars, as people say them."""
    for unit, letter in ((10**9, "B"), (10**6, "M"), (10**3, "k")):
        if amount >= unit:
            return f"${amount / unit:.3g}{letter}" if amount < 1000 * unit else f"${amount:,}"
    return f"${amount}"
