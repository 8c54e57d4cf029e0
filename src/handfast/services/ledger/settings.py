"""Settings of the ledger."""

from handfast.base.settings import Section, setting


class LedgerSettings(Section):
    currency: str = setting(
        "EUR",
        "the currency of new accounts and of what operators deposit",
        allowed="three capital letters",
        example="EUR",
        pattern=r"^[A-Z]{3}$",
    )
