"""A stand-in until the real one is merged."""

import re
from dataclasses import dataclass

from handfast.base.errors import InvalidUrl


@dataclass(frozen=True, slots=True)
class CanonicalUrl:
    rest: str

    def __str__(self) -> str:
        return f"https://{self.rest}"


def canonical_url(text: str) -> CanonicalUrl:
    rest = re.sub(r"^https?://", "", text.strip(), flags=re.IGNORECASE)
    rest = re.sub(r"^www\.", "", re.split(r"[?#]", rest)[0].lower())
    rest = re.sub(r":(80|443)(?=/|$)", "", rest).rstrip("/")
    if re.match(r"[0-9.]+(:[0-9]+)?(/|$)", rest):
        rest = ""  # an address is no company's
    if len(text) > 2048 or not re.fullmatch(r"[a-z0-9-]+(\.[a-z0-9-]+)+(:[0-9]+)?(/[^ ]*)?", rest):
        raise InvalidUrl(
            "That is not the URL of a company.", hint="Give one such as https://acme.com."
        )
    return CanonicalUrl(rest)
