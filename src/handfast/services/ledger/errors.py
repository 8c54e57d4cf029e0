"""Errors of the ledger. Those that the database raises are known by the names of its rules, so that
nothing else is ever taken for missing funds."""

from handfast.base.errors import RequestError
from handfast.db import constraints
from handfast.db.errors import ConstraintViolated


class AmountInvalid(ConstraintViolated):
    code = "AMOUNT_INVALID"
    title = "The amount cannot be moved"
    status = 422


class BalanceTooLarge(ConstraintViolated):
    code = "BALANCE_TOO_LARGE"
    title = "The account would hold more than it can"
    status = 422


class HoldResolved(ConstraintViolated):
    """It was settled, released or expired before, and money leaves escrow once."""

    code = "HOLD_RESOLVED"
    title = "The hold is resolved already"


class InsufficientFunds(ConstraintViolated):
    code = "INSUFFICIENT_FUNDS"
    title = "There is not enough money in the account"
    status = 402


class LedgerAppendOnly(ConstraintViolated):
    code = "LEDGER_APPEND_ONLY"
    title = "What is in the ledger stays as it is"


class LedgerBusy(RequestError):
    """More wait for one account than the gate lets wait: nothing was done."""

    code = "LEDGER_BUSY"
    title = "Too many wait for this account"
    status = 503


class LedgerExportFailed(RequestError):
    code = "LEDGER_EXPORT_FAILED"
    title = "The ledger cannot be exported there"
    status = 422


class OtherCurrency(ConstraintViolated):
    code = "OTHER_CURRENCY"
    title = "The account has another currency"
    status = 422


class ReferenceReused(ConstraintViolated):
    """A reference names one business event for ever."""

    code = "REFERENCE_REUSED"
    title = "The reference names another transfer"


class TransferUnbalanced(ConstraintViolated):
    code = "TRANSFER_UNBALANCED"
    title = "The entries of a transfer must sum to zero"
    status = 422


constraints.register(
    {
        "account_balance_of_players": TransferUnbalanced,
        "account_currency": OtherCurrency,
        "account_stays_as_it_is": LedgerAppendOnly,
        "entry_account": TransferUnbalanced,
        "entry_amount": AmountInvalid,
        "entry_balance_not_negative": InsufficientFunds,
        "hold_amount": AmountInvalid,
        "hold_resolved_once": HoldResolved,
        "hold_stays_as_it_is": LedgerAppendOnly,
        "ledger_append_only": LedgerAppendOnly,
        "transfer_balanced": TransferUnbalanced,
        "transfer_of_one_transaction": LedgerAppendOnly,
        "transfer_one_currency": OtherCurrency,
        "transfer_reference": ReferenceReused,
        "wallet_not_negative": InsufficientFunds,
        "wallet_not_too_large": BalanceTooLarge,
    }
)
