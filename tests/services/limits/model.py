"""What a limit should answer, in a few lines that share nothing with the two stores."""

from dataclasses import dataclass, field
from fractions import Fraction

from handfast.services.limits.limit import Limit


@dataclass
class Bucket:
    """The tokens of one subject, counted the plain way: they are there, and they come back."""

    limit: Limit
    tokens: Fraction = field(init=False)
    at: int = 0  # microseconds

    def __post_init__(self) -> None:
        self.tokens = Fraction(self.limit.quota)

    def advance(self, at: int) -> None:
        come_back = Fraction(at - self.at, self.limit.unit)
        self.tokens = min(Fraction(self.limit.quota), self.tokens + come_back)
        self.at = at

    def admits(self, cost: int) -> bool:
        return self.tokens >= max(cost, 1)


Expected = tuple[bool, int, int, int]


def take(buckets: list[Bucket], costs: list[int], at: int) -> list[Expected]:
    """Admitted, remaining, microseconds until whole, microseconds until it could be taken."""
    for bucket in buckets:
        bucket.advance(at)
    answers = [bucket.admits(cost) for bucket, cost in zip(buckets, costs, strict=True)]
    short = [max(Fraction(0), max(c, 1) - b.tokens) for b, c in zip(buckets, costs, strict=True)]
    if all(answers):
        for bucket, cost in zip(buckets, costs, strict=True):
            bucket.tokens -= cost
    return [
        (
            admitted,
            int(bucket.tokens),
            int((bucket.limit.quota - bucket.tokens) * bucket.limit.unit),
            int(lacking * bucket.limit.unit),
        )
        for bucket, admitted, lacking in zip(buckets, answers, short, strict=True)
    ]
