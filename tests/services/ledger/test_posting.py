"""Transfers: they balance, they happen once, and each is judged by itself."""

import pytest

from handfast.base.errors import InvalidRequest, NotFound
from handfast.services.ledger import rules
from handfast.services.ledger.errors import (
    AmountInvalid,
    InsufficientFunds,
    OtherCurrency,
    ReferenceReused,
    TransferUnbalanced,
)
from handfast.services.ledger.values import (
    AMOUNT_MAX,
    BALANCE_MAX,
    CASH,
    ESCROW,
    REVENUE,
    AccountName,
    Leg,
    Take,
    TransferKind,
    TransferRequest,
    credit,
    funds,
    wallet,
)
from tests.support.ledger_desk import LATER, LedgerDesk

pytestmark = pytest.mark.on_every_postgres


async def test_a_deposit_is_in_the_wallet_and_missing_in_cash(desk: LedgerDesk) -> None:
    await desk.deposit("anna", 5000)
    assert await desk.balance(wallet("anna")) == 5000
    assert await desk.balance(CASH) == -5000
    assert await desk.balance(credit("anna")) == 0
    await desk.assert_sound()


async def test_the_same_event_again_answers_the_first(desk: LedgerDesk) -> None:
    request = rules.deposit("bank-17", "anna", 5000, "EUR")
    first, again = await desk.transfer(request), await desk.transfer(request)
    assert again.repeated
    assert not first.repeated
    assert again.transfer_id == first.transfer_id
    assert await desk.balance(wallet("anna")) == 5000


async def test_another_event_under_the_same_reference_is_refused(desk: LedgerDesk) -> None:
    await desk.transfer(rules.deposit("bank-17", "anna", 5000, "EUR"))
    for other in (
        rules.deposit("bank-17", "anna", 5001, "EUR"),
        rules.deposit("bank-17", "ben", 5000, "EUR"),
        rules.withdrawal("bank-17", "anna", 5000, "EUR"),
    ):
        with pytest.raises(ReferenceReused):
            await desk.transfer(other)
    assert await desk.balance(wallet("anna")) == 5000
    assert await desk.balance(wallet("ben")) == 0


async def test_what_is_wrong_with_one_fails_that_one_only(desk: LedgerDesk) -> None:
    await desk.deposit("anna", 100)
    await desk.deposit("dora", 100, currency="USD")
    first = rules.withdrawal("w-1", "anna", 60, "EUR")
    await desk.transfer(rules.deposit("known", "anna", 1, "EUR"))
    verdicts = await desk.verdicts(
        rules.deposit("a", "ben", 10, "EUR"),
        first,
        rules.withdrawal("w-2", "anna", 60, "EUR"),  # 41 are left
        rules.deposit("known", "anna", 1, "EUR"),
        rules.deposit("known-2", "dora", 1, "EUR"),
        rules.withdrawal("w-3", "anna", 41, "EUR"),
        rules.withdrawal("w-4", "nobody", 1, "EUR"),
        rules.deposit("b", "ben", 10, "EUR"),
    )
    assert verdicts == [
        "posted",
        "posted",
        "INSUFFICIENT_FUNDS",
        "repeated",
        "OTHER_CURRENCY",
        "posted",
        "INSUFFICIENT_FUNDS",
        "posted",
    ]
    assert await desk.balance(wallet("anna")) == 0
    assert await desk.balance(wallet("ben")) == 20
    assert (
        await desk.fetch("SELECT count(*) FROM handfast_ledger.accounts WHERE owner = 'nobody'")
        == 0
    )
    await desk.assert_sound()


async def test_a_refused_item_leaves_the_balance_to_the_next(desk: LedgerDesk) -> None:
    """Its first legs were possible and its last was not."""
    await desk.deposit("anna", 100)
    both = TransferRequest(
        "both",
        TransferKind.WITHDRAWAL,
        "EUR",
        [Leg(wallet("anna"), -80), Leg(wallet("ben"), -1), Leg(CASH, 81)],
    )
    verdicts = await desk.verdicts(both, rules.withdrawal("all", "anna", 100, "EUR"))
    assert verdicts == ["INSUFFICIENT_FUNDS", "posted"]


async def test_missing_funds_say_how_much_there_is(desk: LedgerDesk) -> None:
    await desk.deposit("anna", 70)
    with pytest.raises(InsufficientFunds, match="wallet:anna has 70") as refused:
        await desk.transfer(rules.withdrawal("w", "anna", 71, "EUR"))
    assert refused.value.extra["available"] == 70
    assert refused.value.status == 402


async def test_credit_pays_before_the_wallet_and_the_stake_before_the_fee(desk: LedgerDesk) -> None:
    await desk.give_credit("anna", 5500)
    await desk.deposit("anna", 10_000)
    hold = await desk.stake("anna", 5000, 1000)
    assert (hold.from_credit, hold.from_wallet) == (5000, 0)
    assert await desk.balance(credit("anna")) == 0
    assert await desk.balance(wallet("anna")) == 9500
    hold = await desk.stake("anna", 5000, 1000)
    assert (hold.from_credit, hold.from_wallet) == (0, 5000)
    assert await desk.balance(ESCROW) == 10_000
    assert await desk.balance(REVENUE) == 2000
    await desk.assert_sound()


async def test_funds_are_credit_and_wallet_together(desk: LedgerDesk) -> None:
    await desk.give_credit("anna", 30)
    await desk.deposit("anna", 20)
    with pytest.raises(InsufficientFunds, match="has 50"):
        await desk.stake("anna", 51, 0)
    await desk.stake("anna", 50, 0)
    await desk.give_credit("cora", 40)
    await desk.stake("cora", 40, 0)
    await desk.assert_sound()


async def test_the_entries_of_a_stake(desk: LedgerDesk) -> None:
    await desk.give_credit("anna", 3000)
    await desk.deposit("anna", 10_000)
    hold = await desk.stake("anna", 5000, 1000)
    async with desk.database.connection() as connection:
        rows = await connection.fetch(
            "SELECT a.kind::text, e.amount, e.kind::text AS what, e.balance, e.queue_id"
            " FROM handfast_ledger.entries AS e JOIN handfast_ledger.accounts AS a"
            " ON a.id = e.account_id WHERE e.transfer_id = $1 ORDER BY e.line",
            hold.transfer_id,
        )
    assert [tuple(row) for row in rows] == [
        ("credit", -3000, "STAKE_IN", 0, 7),
        ("wallet", -2000, "STAKE_IN", 8000, 7),
        ("escrow", 5000, "STAKE_IN", None, 7),
        ("wallet", -1000, "COMMISSION", 7000, 7),
        ("revenue", 1000, "COMMISSION", None, 7),
    ]


async def test_a_player_has_one_currency(desk: LedgerDesk) -> None:
    await desk.deposit("anna", 100)
    with pytest.raises(OtherCurrency, match="in USD"):
        await desk.deposit("anna", 100, currency="USD")
    await desk.deposit("ben", 100, currency="USD")
    mixed = TransferRequest(
        "mixed", TransferKind.PAYOUT, "EUR", [Leg(wallet("anna"), -1), Leg(wallet("ben"), 1)]
    )
    with pytest.raises(OtherCurrency):
        await desk.transfer(mixed)


async def test_a_wallet_holds_what_a_number_in_json_can(desk: LedgerDesk) -> None:
    for _ in range(BALANCE_MAX // AMOUNT_MAX // 999 + 1):
        await desk.many(
            *(rules.deposit(desk.name(), "anna", AMOUNT_MAX, "EUR") for _ in range(999))
        )
    assert await desk.balance(wallet("anna")) == BALANCE_MAX // AMOUNT_MAX * AMOUNT_MAX
    verdicts = await desk.verdicts(rules.deposit("more", "anna", AMOUNT_MAX, "EUR"))
    assert verdicts == ["BALANCE_TOO_LARGE"]


@pytest.mark.parametrize("amount", [0, -1, 10**12 + 1, 1.5, True, "5", None, 2**70])
def test_amounts_that_cannot_be_moved(amount: int) -> None:
    with pytest.raises(AmountInvalid):
        rules.deposit("d", "anna", amount, "EUR")


@pytest.mark.parametrize("owner", ["", " anna", "a" * 201, "a\0b"])
def test_owners_that_nobody_can_be(owner: str) -> None:
    with pytest.raises(InvalidRequest):
        rules.deposit("d", owner, 1, "EUR")


@pytest.mark.parametrize(
    "request_",
    [
        TransferRequest("r", TransferKind.DEPOSIT, "EUR"),
        TransferRequest("r", TransferKind.DEPOSIT, "EUR", [Leg(CASH, 5)]),
        TransferRequest("r", TransferKind.DEPOSIT, "EUR", [Leg(CASH, -5), Leg(ESCROW, 4)]),
        TransferRequest("r", TransferKind.DEPOSIT, "eur", [Leg(CASH, -5), Leg(ESCROW, 5)]),
        TransferRequest("", TransferKind.DEPOSIT, "EUR", [Leg(CASH, -5), Leg(ESCROW, 5)]),
        TransferRequest("r", TransferKind.DEPOSIT, "EUR", [Leg(CASH, -5), Leg(funds("a"), 5)]),
        TransferRequest(
            "r", TransferKind.DEPOSIT, "EUR", [Leg(CASH, -5), Leg(AccountName("x"), 5)]
        ),
        TransferRequest(
            "r", TransferKind.DEPOSIT, "EUR", [Leg(CASH, -5), Leg(AccountName("wallet"), 5)]
        ),
    ],
)
def test_requests_that_cannot_be_meant(request_: TransferRequest) -> None:
    with pytest.raises((InvalidRequest, TransferUnbalanced, OtherCurrency)):
        rules.check_requests([request_])


async def test_a_list_names_each_reference_once(desk: LedgerDesk) -> None:
    one = rules.deposit("a", "anna", 1, "EUR")
    with pytest.raises(InvalidRequest, match="reference is named twice"):
        await desk.many(one, one)
    with pytest.raises(InvalidRequest, match="hold is named twice"):
        await desk.many(rules.release("a", [1], "EUR"), rules.release("b", [1], "EUR"))
    with pytest.raises(InvalidRequest, match="more than 1,000"):
        await desk.many(*(rules.deposit(str(n), "anna", 1, "EUR") for n in range(1001)))
    assert await desk.many() == []


async def test_legs_that_only_the_database_can_add_up(desk: LedgerDesk) -> None:
    await desk.deposit("anna", 100)
    hold = await desk.stake("anna", 100, 0)
    too_little = rules.payout("p", [Take(hold.id)], [(wallet("ben"), 99)], "EUR")
    with pytest.raises(TransferUnbalanced):
        await desk.transfer(too_little)
    with pytest.raises(NotFound):
        await desk.transfer(rules.payout("p", [Take(999)], [(wallet("ben"), 99)], "EUR"))
    assert (await desk.hold(hold.id)).state == "held"
    assert hold.deadline == LATER
