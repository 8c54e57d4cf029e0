"""Startups and investors that do not exist, as many as you like, always the same for a seed.

Each is made from the seed and its own number alone: the first hundred of a million are the hundred.
"""

import random
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

T = TypeVar("T")


def _listed(said: str, between: str | None = None) -> list[str]:
    return [" ".join(name.split()) for name in said.split(between)]


SECTORS = _listed(
    """agritech ai biotech climate consumer cybersecurity devtools edtech energy enterprise
    fintech food gaming hardware healthtech insurtech legaltech logistics manufacturing marketplace
    media mobility proptech robotics saas space"""
)
STAGES = ("pre-seed", "seed", "series-a", "series-b", "series-c", "growth")
COUNTRIES = _listed(
    """us us us us gb gb de de fr nl se es it pl ch ie il in in sg jp kr au br mx ca ca ng ke
    za ae"""
)
_FIRST = _listed(
    """acorn amber atlas beacon birch bright cedar clear cobalt copper coral delta ember fable
    fern flint forge garnet granite harbor hazel iris ivory juniper keel lark linden lumen maple
    meridian mint north nova oak onyx opal orbit otter pine prism quartz raven ridge river rowan
    sable sage slate solar sparrow summit terra thistle tidal umber vale vector willow wren
    zephyr"""
)
_SECOND = _listed(
    """base beam cart cell chain clinic cloud core craft desk dock farm field flow gate grid
    hub kit lab lane ledger leaf light line link loop map mesh mind mill nest path pay pilot point
    port pulse scale scope sense shift sign spark stack stream studio sync tide trace track vault
    verse view ware wave well wise works yard"""
)
_THINGS = _listed(
    """carbon accounting, cash flow forecasts, clinical trials, claims handling, cold chains,
    contract review, crop disease, customer support, drug discovery, embedded lending, employee
    training, energy storage, factory inspection, field service, fleet charging, food waste, fraud
    detection, freight booking, game servers, grid balancing, hiring, home care, identity checks,
    language learning, medical imaging, mortgage origination, open banking, payroll, patient intake,
    property management, protein design, route planning, satellite imagery, school administration,
    security reviews, small loans, software testing, soil health, spare parts, supplier risk, tax
    filing, warehouse picking, water treatment, wind farms""",
    ",",
)
_HOW = _listed(
    """an agent that handles, an open standard for, cheaper sensors for, compliance software for,
    a marketplace for, a mobile app for, a network for, a robot for, an API for, forecasting for,
    workflow software for, analytics for""",
    ",",
)
_WHOM = _listed(
    """airlines banks builders cities clinics farmers freelancers hospitals insurers
    manufacturers retailers schools shippers utilities"""
)
_SITES = ("https://{name}.com", "https://www.{name}.io/", "http://{name}.ai", "{name}.co.uk")


def startups(count: int, seed: int) -> Iterator[dict[str, Any]]:
    """Rows as a file of startups has them."""
    for number in range(count):
        dice = _dice(seed, "startup", number)
        name = _name(dice, number)
        stage = int(dice.random() * len(STAGES))
        yield {
            "startup_id": f"s{number:07d}",
            "name": name.title(),
            "url": _pick(dice, _SITES).format(name=name.replace(" ", "")),
            "stage": STAGES[stage] if dice.random() > 0.03 else None,
            "country": _pick(dice, COUNTRIES) if dice.random() > 0.03 else None,
            "sectors": _some(dice, SECTORS, 1, 3),
            "raising": _money(dice, stage) if dice.random() > 0.1 else None,
            "pitch": _pitch(dice) if dice.random() > 0.02 else "",
        }


def investors(count: int, seed: int) -> Iterator[dict[str, Any]]:
    """Rows as a file of investors has them."""
    for number in range(count):
        dice = _dice(seed, "investor", number)
        name = _name(dice, number)
        first = int(dice.random() * len(STAGES))
        stages = list(STAGES[first : first + 1 + int(dice.random() * 3)])
        least = _money(dice, first) // 4
        says_cheque = dice.random() > 0.1
        yield {
            "investor_id": f"i{number:06d}",
            "name": f"{name.title()} Capital",
            "url": f"https://{name.replace(' ', '')}.vc",
            "stages": stages if dice.random() > 0.05 else [],
            "countries": _places(dice),
            "sectors": _some(dice, SECTORS, 1, 6),
            "cheque_min": least if says_cheque else None,
            "cheque_max": least * (4 + int(dice.random() * 12)) if says_cheque else None,
            "thesis": " ".join(_pitch(dice) for _ in range(2)) if dice.random() > 0.1 else "",
            "deals": _deals(dice) if dice.random() > 0.1 else None,
        }


def _dice(seed: int, what: str, number: int) -> random.Random:
    return random.Random(f"{seed}:{what}:{number}")  # noqa: S311  # nothing depends on secrecy


def _pick(dice: random.Random, among: Sequence[T]) -> T:
    # random() alone is promised to stay the same in every version of Python.
    return among[int(dice.random() * len(among))]


def _some(dice: random.Random, among: Sequence[str], least: int, most: int) -> list[str]:
    count = least + int(dice.random() * (most - least + 1))
    return list(dict.fromkeys(_pick(dice, among) for _ in range(count)))


def _name(dice: random.Random, number: int) -> str:
    """Names repeat; with the number at the end, addresses do not."""
    return f"{_pick(dice, _FIRST)} {_pick(dice, _SECOND)} {number}"


def _money(dice: random.Random, stage: int) -> int:
    """Whole tens of thousands, about three times as much at each stage."""
    return int((5 + int(dice.random() * 30)) * 10_000 * 3**stage)


def _pitch(dice: random.Random) -> str:
    how, thing, whom = _pick(dice, _HOW), _pick(dice, _THINGS), _pick(dice, _WHOM)
    return f"{how} {thing}, for {whom} and {_pick(dice, _WHOM)}."


def _deals(dice: random.Random) -> int:
    """Few have backed many: about as many have one to three as have thirty to sixty."""
    return int(2 ** (dice.random() * 8)) - 1


def _places(dice: random.Random) -> list[str]:
    said = dice.random()
    if said < 0.08:
        return []
    return ["global"] if said < 0.2 else _some(dice, COUNTRIES, 1, 4)
