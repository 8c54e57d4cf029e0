"""Phone numbers: as people write them, and as they are stored (E.164).

Numbers that cost whoever sends to them are refused: somebody earns with each message, and would
have us send many.
"""

from dataclasses import dataclass

from handfast.base.extras import extra
from handfast.services.identity.errors import PhoneNotUsable

with extra("identity"):
    import phonenumbers
    from phonenumbers import NumberParseException, PhoneNumberFormat, PhoneNumberType

DIGITS_MAX = 15  # of E.164, and of the column
PREFIX_DIGITS_LESS = 4  # a prefix is the number without so many of its last digits

_COSTLY = {
    PhoneNumberType.PREMIUM_RATE: "a premium rate number",
    PhoneNumberType.SHARED_COST: "a shared cost number",
    PhoneNumberType.TOLL_FREE: "a toll-free number",
    PhoneNumberType.PAGER: "a pager",
    PhoneNumberType.VOICEMAIL: "a voicemail",
}


@dataclass(frozen=True)
class Phone:
    """``e164`` is who somebody is; limits count by its prefix and its country too."""

    e164: str
    country: str

    @property
    def prefix(self) -> str:
        return self.e164[:-PREFIX_DIGITS_LESS]

    @property
    def masked(self) -> str:
        """For logs: enough to tell two of them apart while trying out."""
        return f"+{self.country}…{self.e164[-2:]}"


def read_phone(country: str, number: str, *, known: frozenset[str] = frozenset()) -> Phone:
    """Digits, as they came; ``known`` are test numbers, which no numbering plan has to know."""
    plain = f"+{country}{number}"
    if plain in known:
        return Phone(plain, country)
    try:
        parsed = phonenumbers.parse(plain)
    except NumberParseException:
        raise _unusable("It is not a phone number.") from None
    if not phonenumbers.is_valid_number(parsed):
        raise _unusable("No numbering plan has such a number.")
    costly = _COSTLY.get(phonenumbers.number_type(parsed))
    if costly is not None:
        raise _unusable(f"It is {costly}.")
    e164 = phonenumbers.format_number(parsed, PhoneNumberFormat.E164)
    if len(e164) > 1 + DIGITS_MAX:  # some plans have longer ones, which no network carries
        raise _unusable(f"It has more than {DIGITS_MAX} digits.")
    return Phone(e164, str(parsed.country_code))


def _unusable(why: str) -> PhoneNotUsable:
    return PhoneNotUsable(
        f"No code is sent to that number. {why}",
        hint="Give a mobile number: countryCode without +, phoneNumber without the country's code.",
    )
