"""What users send about offers and matches. The answers are described where their rules are."""

import msgspec

from handfast.apps.offers.explaining.views import RoundView, SetView, ZoneView
from handfast.apps.offers.rules.actions import OfferAction
from handfast.apps.offers.users.matches import UnmatchReason, UserMatch


class SentAction(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    action: OfferAction


class Unmatch(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    reason: UnmatchReason | None = None


class MatchList(msgspec.Struct, rename="camel"):
    matches: list[UserMatch]


class ZoneList(msgspec.Struct, rename="camel"):
    zones: list[ZoneView]


class RoundList(msgspec.Struct, rename="camel"):
    rounds: list[RoundView]


class SetList(msgspec.Struct, rename="camel"):
    """`absent`: why a round that began now would be without them, such as `suspended`."""

    sets: list[SetView]
    absent: str | None
