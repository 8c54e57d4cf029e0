"""Settings of stakes. Those that the source names are read under its own names, too."""

from datetime import timedelta

from pydantic import field_validator

from handfast.base.settings import YES_NO, Section, setting
from handfast.services.ledger.values import AMOUNT_MAX

EXPIRY_MINUTES_MAX = 7 * 24 * 60
STAKE_MAX = AMOUNT_MAX // 2  # a winner is paid both stakes at once


class StakesSettings(Section):
    stake_amounts: str = setting(
        "1000,5000,10000,50000",
        "what can be staked, in minor units of HANDFAST_CURRENCY",
        allowed=f"whole numbers from 1 to {STAKE_MAX} with commas between",
        example="1000,5000",
    )
    platform_commission_flat: int = setting(
        1000,
        "the fee of a stake, in minor units; it is not part of the pot",
        allowed=f"a whole number from 0 to {AMOUNT_MAX}",
        example="1000",
        bare="PLATFORM_COMMISSION_FLAT",
        ge=0,
        le=AMOUNT_MAX,
    )
    queue_expiry_minutes: int = setting(
        10,
        "how long a ticket waits for a partner before it becomes credit",
        allowed=f"a whole number from 1 to {EXPIRY_MINUTES_MAX}",
        example="10",
        bare="QUEUE_EXPIRY_MINUTES",
        ge=1,
        le=EXPIRY_MINUTES_MAX,
    )
    session_expiry_minutes: int = setting(
        60,
        "how long a session waits for its result before it is void",
        allowed=f"a whole number from 1 to {EXPIRY_MINUTES_MAX}",
        example="60",
        bare="SESSION_EXPIRY_MINUTES",
        ge=1,
        le=EXPIRY_MINUTES_MAX,
    )
    stake_rematch_minutes: int = setting(
        5,
        "for so long two who played are not paired again while others wait; 0 does not look",
        allowed="a whole number from 0 to 1440",
        example="5",
        ge=0,
        le=1440,
    )
    stake_fee_returned: bool = setting(
        False,
        "whether the fee comes back, too, when a ticket expires or is cancelled, or a session is "
        "void",
        allowed=YES_NO,
        example="true",
    )

    redis_key_prefix: str = setting(
        "queue:stake:",
        "what the keys of the lines in Redis begin with; the stake follows",
        allowed="1 to 100 characters without spaces",
        example="arena:queue:stake:",
        bare="REDIS_KEY_PREFIX",
        pattern=r"^[!-~]{1,100}$",
    )
    rehydrate_on_start: bool = setting(
        True,
        "whether a matchmaker that starts compares Redis with the database before it uses it",
        allowed=YES_NO,
        example="false",
        bare="REHYDRATE_ON_START",
    )

    @field_validator("stake_amounts")
    @classmethod
    def _are_amounts(cls, value: str) -> str:
        amounts = [int(part) for part in value.split(",")]
        if not all(0 < amount <= STAKE_MAX for amount in amounts):
            raise ValueError("not amounts")
        return value

    @property
    def allowed_amounts(self) -> tuple[int, ...]:
        return tuple(sorted({int(part) for part in self.stake_amounts.split(",")}))

    @property
    def queue_expiry(self) -> timedelta:
        return timedelta(minutes=self.queue_expiry_minutes)

    @property
    def session_expiry(self) -> timedelta:
        return timedelta(minutes=self.session_expiry_minutes)

    @property
    def rematch(self) -> timedelta:
        return timedelta(minutes=self.stake_rematch_minutes)
