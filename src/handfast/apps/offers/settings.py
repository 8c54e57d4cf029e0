"""Settings of offers. Those of the rules are pinned with each plan."""

from datetime import date, timedelta

import msgspec

from handfast.base.settings import Section, setting

OFFERS_PER_DAY_MAX = 10


class OffersSettings(Section):
    offers_score: str = setting(
        "v1",
        "the score of a pair, as it is registered",
        allowed="v1, or one that your program registers",
        example="v1",
    )
    offers_selection: str = setting(
        "mutual",
        "who is offered to whom: pairs that both see, or each user's best",
        allowed="mutual, top, or one that your program registers",
        example="top",
    )
    offers_per_day: int = setting(
        3, "offers in a set", allowed="1 to 10", example="5", ge=1, le=OFFERS_PER_DAY_MAX
    )
    offers_expiry_days: int = setting(
        6,
        "local days until an offer expires, at 09:00",
        allowed="1 to 60",
        example="6",
        ge=1,
        le=60,
    )
    offers_minimum_score: int = setting(
        50, "the least score that is offered", allowed="0 to 100", example="60", ge=0, le=100
    )
    offers_not_now_days: int = setting(
        30, "days that not_now keeps two apart", allowed="1 to 365", example="30", ge=1, le=365
    )
    offers_pass_days: int = setting(
        90, "days that a pass keeps two apart", allowed="1 to 3650", example="90", ge=1, le=3650
    )
    offers_pass_uplift: int = setting(
        8,
        "points that a score must have risen by before a pair that was passed is offered again",
        allowed="0 to 100",
        example="8",
        ge=0,
        le=100,
    )
    offers_active_matches: int = setting(
        5,
        "active matches with which a user is offered nobody else",
        allowed="1 to 100",
        example="5",
        ge=1,
        le=100,
    )
    offers_one_sided: bool = setting(
        True,
        "fill places for which no pair was left; who accepts such an offer is shown in return",
        allowed="true or false",
        example="false",
    )
    offers_anchor_day: int = setting(
        1,
        "the local day on which the offer of the week is made; 1 is Monday",
        allowed="1 to 7",
        example="1",
        ge=1,
        le=7,
    )
    offers_anchor_minimum: int = setting(
        70,
        "the least score of an offer of the week",
        allowed="0 to 100",
        example="70",
        ge=0,
        le=100,
    )


class OfferRules(msgspec.Struct, frozen=True):
    """What a plan pins: the part of the settings that decides what is offered."""

    score: str = "v1"
    selection: str = "mutual"
    per_day: int = 3
    expiry_days: int = 6
    minimum_score: int = 50
    not_now_days: int = 30
    pass_days: int = 90
    uplift: int = 8
    active_matches: int = 5
    one_sided: bool = True
    anchor_day: int = 1
    anchor_minimum: int = 70

    def is_anchor_day(self, day: date) -> bool:
        return day.isoweekday() == self.anchor_day

    @property
    def cool_downs(self) -> dict[str, timedelta]:
        """By the state that an action leads to."""
        return {
            "passed": timedelta(days=self.pass_days),
            "not_now": timedelta(days=self.not_now_days),
        }


def rules_of(settings: object) -> OfferRules:
    """Of the settings of a process, which has this section when offers are switched on."""
    return OfferRules(
        *(
            getattr(settings, f"offers_{name}")
            for name in (
                *("score", "selection", "per_day", "expiry_days", "minimum_score"),
                *("not_now_days", "pass_days", "pass_uplift", "active_matches"),
                *("one_sided", "anchor_day", "anchor_minimum"),
            )
        )
    )
