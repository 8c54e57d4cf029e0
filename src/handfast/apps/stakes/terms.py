"""What is offered, and on which terms: the settings, as the commands take them."""

from dataclasses import dataclass
from datetime import timedelta

from handfast.apps.stakes.errors import StakeNotOffered
from handfast.apps.stakes.settings import StakesSettings
from handfast.base.settings import Settings
from handfast.services.ledger.settings import LedgerSettings


@dataclass(frozen=True)
class StakeTerms:
    amounts: tuple[int, ...] = (1000, 5000, 10000, 50000)
    fee: int = 1000
    currency: str = "EUR"
    queue_expiry: timedelta = timedelta(minutes=10)
    session_expiry: timedelta = timedelta(minutes=60)
    rematch: timedelta = timedelta(minutes=5)
    fee_returned: bool = False

    def check(self, amount: object) -> int:
        """It is one of the amounts that can be staked: whole, and on the list."""
        if not isinstance(amount, int) or isinstance(amount, bool) or amount not in self.amounts:
            raise StakeNotOffered(
                f"{str(amount)[:40]} is not among the stakes.",
                hint=f"Allowed, in minor units: {', '.join(map(str, self.amounts))}.",
                amounts=list(self.amounts),
            )
        return amount


def terms_of(settings: Settings) -> StakeTerms:
    ours = settings.of(StakesSettings)
    return StakeTerms(
        ours.allowed_amounts,
        ours.platform_commission_flat,
        settings.of(LedgerSettings).currency,
        ours.queue_expiry,
        ours.session_expiry,
        ours.rematch,
        ours.stake_fee_returned,
    )
