"""``handfast ledger``: does the money add up, and is it as it was sealed."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated
from uuid import uuid4

from cyclopts import App, Parameter
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from handfast.base.errors import InvalidRequest
from handfast.edge.cli.jobs.jobs import on_system, when
from handfast.edge.cli.speaking.changes import changing
from handfast.edge.cli.speaking.listing import Listing
from handfast.edge.cli.speaking.options import DataDir, Json, Limit
from handfast.edge.cli.speaking.output import ERR, OUT, print_json
from handfast.engine.operating.dead_letters import as_instant
from handfast.engine.system import System
from handfast.services.ledger import rules
from handfast.services.ledger.jobs import judge
from handfast.services.ledger.posting.commands import transfer
from handfast.services.ledger.reading import balances
from handfast.services.ledger.reading.balances import AccountStatement, TrialBalance
from handfast.services.ledger.reading.checking import CheckReport, check_ledger
from handfast.services.ledger.reading.history import READS, HistoryReport, export_history
from handfast.services.ledger.sealing.exporting import ExportReport, export_ledger
from handfast.services.ledger.sealing.verifying import VerifyReport, verify_seals
from handfast.services.ledger.settings import LedgerSettings
from handfast.services.ledger.values import OF_PLAYERS, AccountKind, AccountName, Posted, wallet

FOUND = 1  # the exit code when something is wrong

app = App(
    name="ledger",
    help="Money: check it, verify its seals, statements, the trial balance, deposits.",
)

Account = Annotated[
    str,
    Parameter(help="wallet:PLAYER, credit:PLAYER, escrow, revenue or cash; PLAYER is a wallet."),
]


@app.command
def check(*, data_dir: DataDir = None, json: Json = False) -> int:
    """Recompute every balance and every sum, and say what is wrong. What is found is an alert until
    a check finds nothing."""

    async def work(system: System) -> CheckReport:
        with _bar("checking", shown=not json) as progress:
            report = await check_ledger(system.database, progress=progress)
        async with system.database.transaction() as tx:
            await judge(tx, report)
        return report

    report = on_system(work, data_dir=data_dir)
    if json:
        print_json(report)
    else:
        _print_check(report)
    return 0 if report.passed else FOUND


@app.command
def verify(
    *,
    head: Annotated[
        list[str] | None,
        Parameter(help="A hash that was kept elsewhere, as NUMBER:HASH.", negative=()),
    ] = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> int:
    """Recompute every seal from the rows as they are now."""
    heads = dict(map(_head, head or ()))

    async def work(system: System) -> VerifyReport:
        with _bar("verifying", shown=not json) as progress:
            return await verify_seals(system.database, heads=heads, progress=progress)

    report = on_system(work, data_dir=data_dir)
    if json:
        print_json(report)
    else:
        OUT.print(f"{report.seals:,} seals over {report.entries:,} entries.")
        for fault in report.faults:
            OUT.print(f"Seal {fault.seal}: {fault.problem}.", markup=False, style="red")
        OUT.print("All as it was sealed." if report.passed else "This is not what was sealed.")
        if report.head is not None:
            OUT.print(f"Head: {report.head}", style="dim")
    return 0 if report.passed else FOUND


@app.command
def export(
    file: Annotated[Path, Parameter(help="A file that is not there yet.")],
    /,
    *,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Write all of it into a file for tools/verify_ledger.py, which shares no code with us."""

    async def work(system: System) -> ExportReport:
        return await export_ledger(system.database, file)

    report = on_system(work, data_dir=data_dir)
    if json:
        print_json(report)
        return
    OUT.print(
        f"{report.entries:,} entries in {report.seals:,} seals, and {report.unsealed:,} that are "
        f"not sealed yet, are in {file}.",
        markup=False,
    )
    OUT.print(f"Head: {report.head or 'none yet'}", style="dim")


@app.command
def prove(
    file: Annotated[Path, Parameter(help="A file that is not there yet.")],
    /,
    *,
    reads: Annotated[
        int, Parameter(help="How many reads of all accounts, evenly between the transfers.")
    ] = READS,
    data_dir: DataDir = None,
    json: Json = False,
) -> int:
    """Write the history as that of a bank, in EDN as Jepsen's bank checker reads it."""
    if reads < 1:
        raise InvalidRequest(f"{reads} reads prove nothing.", hint="At least 1.")

    async def work(system: System) -> HistoryReport:
        return await export_history(system.database, file, reads=reads)

    report = on_system(work, data_dir=data_dir)
    if json:
        print_json(report)
    else:
        OUT.print(
            f"{report.transfers:,} transfers and {report.reads:,} reads of {report.accounts:,} "
            f"accounts are in {file}.",
            markup=False,
        )
        OUT.print(
            f"{report.wrong:,} reads come to another total than {report.total:,}."
            if report.wrong
            else f"Every read comes to {report.total:,}."
        )
    return FOUND if report.wrong else 0


@app.command
def statement(
    account: Account,
    /,
    *,
    at: Annotated[
        datetime | None, Parameter(help="Only the balance at this instant, in UTC.")
    ] = None,
    after: Annotated[str | None, Parameter(help="Go on after this place (`next`).")] = None,
    limit: Limit = 50,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """An account's entries, the newest first; or its balance at a past instant."""
    name = account_called(account)
    if at is not None:
        _print_balance(name, at, data_dir=data_dir, json=json)
        return

    async def work(system: System) -> AccountStatement:
        currency = system.settings.of(LedgerSettings).currency
        async with system.database.connection() as connection:
            return await balances.statement_of(
                connection, name, after=after, limit=limit, currency=currency
            )

    page = on_system(work, data_dir=data_dir)
    if json:
        print_json(page)
        return
    table = Listing(
        *("transfer", "at", "kind", "amount", "balance", "reference"),
        right=("transfer", "amount", "balance"),
    )
    for line in page.lines:
        table.add_row(
            str(line.transfer_id),
            when(line.at),
            line.entry_kind,
            f"{line.amount:+,}",
            "" if line.balance is None else f"{line.balance:,}",
            line.reference,
        )
    OUT.print(table if page.lines else f"{name} has no entries.")
    if page.next is not None:
        OUT.print(f"More: --after {page.next}", style="dim")


@app.command(name="trial-balance")
def trial_balance(*, data_dir: DataDir = None, json: Json = False) -> int:
    """What all accounts come to, by kind and currency, in minor units."""

    async def work(system: System) -> TrialBalance:
        async with system.database.connection() as connection:
            return await balances.trial_balance(connection)

    found = on_system(work, data_dir=data_dir)
    if json:
        print_json(found)
    else:
        _print_trial(found)
    return 0 if found.imbalance == 0 else FOUND


@app.command
def deposit(
    player: Annotated[str, Parameter(help="The player's id.")],
    amount: Annotated[int, Parameter(help="In minor units: 500 are five euro.")],
    /,
    *,
    reference: Annotated[
        str | None, Parameter(help="The event's name: told twice it moves money once.")
    ] = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Money came for a player: into the wallet."""
    player = rules.owner_called(player)

    async def work(system: System) -> tuple[Posted, int]:
        currency = system.settings.of(LedgerSettings).currency
        wanted = rules.deposit(f"deposit:{reference or uuid4()}", player, amount, currency)
        async with changing(system, "ledger.deposit", f"player:{player}") as change:
            posted = await transfer(change.tx, wanted)
            return posted, await balances.balance(change.tx, wallet(player))

    posted, left = on_system(work, data_dir=data_dir)
    if json:
        print_json({"transferId": posted.transfer_id, "repeated": posted.repeated, "wallet": left})
        return
    how = "was made before, as" if posted.repeated else "is"
    OUT.print(
        f"The deposit {how} transfer {posted.transfer_id}. {player} has {left:,}.", markup=False
    )


def account_called(typed: str) -> AccountName:
    kind, colon, owner = typed.partition(":")
    if not colon and typed in {one.value for one in AccountKind} - OF_PLAYERS:
        return AccountName(typed)
    if not colon:
        return wallet(rules.owner_called(typed))
    if kind in OF_PLAYERS:
        return AccountName(kind, rules.owner_called(owner))
    raise InvalidRequest(
        f"There is no account {typed!r}.",
        hint="wallet:PLAYER, credit:PLAYER, escrow, revenue or cash.",
    )


def _head(typed: str) -> tuple[int, bytes]:
    number, _, digest = typed.partition(":")
    try:
        return int(number), bytes.fromhex(digest)
    except ValueError:
        raise InvalidRequest(
            f"{typed!r} is not a head.", hint="NUMBER:HASH, as in the log line ledger_sealed."
        ) from None


def _print_balance(name: AccountName, at: datetime, *, data_dir: Path | None, json: bool) -> None:
    async def work(system: System) -> int:
        currency = system.settings.of(LedgerSettings).currency
        async with system.database.connection() as connection:
            return await balances.balance(connection, name, at=as_instant(at), currency=currency)

    found = on_system(work, data_dir=data_dir)
    if json:
        print_json({"account": str(name), "at": as_instant(at), "balance": found})
    else:
        OUT.print(f"{name} had {found:,}.", markup=False)


def _print_trial(found: TrialBalance) -> None:
    table = Listing(
        *("account", "currency", "accounts", "balance", "held"),
        right=("accounts", "balance", "held"),
    )
    for line in found.lines:
        table.add_row(
            line.kind,
            line.currency,
            f"{line.accounts:,}",
            f"{line.balance:,}",
            "" if line.held is None else f"{line.held:,}",
        )
    OUT.print(table if found.lines else "No account has been opened yet.")
    OUT.print(
        "They come to zero."
        if found.imbalance == 0
        else f"They do not come to zero: {found.imbalance:,} came from nowhere."
    )


def _print_check(report: CheckReport) -> None:
    OUT.print(f"{report.transfers:,} transfers and {report.accounts:,} accounts checked.")
    for finding in report.findings:
        where = (
            f"transfer {finding.transfer_id}"
            if finding.account_id is None
            else f"account {finding.account_id}"
            + (f", transfer {finding.transfer_id}" if finding.transfer_id else "")
        )
        said = f"{where}: {finding.problem} (expected {finding.expected}, found {finding.found})"
        OUT.print(said, markup=False, style="red")
    OUT.print("It adds up." if report.passed else "It does not add up.")


@contextmanager
def _bar(what: str, *, shown: bool) -> Iterator[Callable[[float], None]]:
    """On a terminal: how far it is."""
    with Progress(
        TextColumn(what),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        console=ERR,
        transient=True,
        disable=not (shown and ERR.is_terminal),
    ) as bar:
        task = bar.add_task("", total=1.0)
        yield lambda share: bar.update(task, completed=share)
