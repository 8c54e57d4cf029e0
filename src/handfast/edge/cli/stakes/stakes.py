"""``handfast stakes``: who waits, a ticket, the log of pairing, a check."""

from typing import Annotated

import msgspec
from cyclopts import App, Parameter

from handfast.apps.stakes.checking import Inconsistency, check_stakes
from handfast.apps.stakes.matching.matchmakers import PresentMatchmaker, present_matchmakers
from handfast.apps.stakes.matching.pairing import LoggedClaim, claims
from handfast.apps.stakes.queue.standing import queue_lines
from handfast.apps.stakes.queue.tickets import get_ticket
from handfast.apps.stakes.rules.why import StakeLine
from handfast.apps.stakes.values import Ticket
from handfast.edge.cli.jobs.jobs import on_system, when
from handfast.edge.cli.speaking.listing import Listing
from handfast.edge.cli.speaking.options import DataDir, Json, Limit
from handfast.edge.cli.speaking.output import OUT, print_json
from handfast.engine.system import System
from handfast.services.ledger.posting.holds import Hold, get_hold

FOUND = 1  # the exit code when something is wrong

app = App(name="stakes", help="The staked queue: who waits, a ticket, the log of pairing, a check.")


class QueuesShown(msgspec.Struct, rename="camel"):
    lines: list[StakeLine]
    matchmakers: list[PresentMatchmaker]


class TicketDetail(msgspec.Struct, rename="camel"):
    ticket: Ticket
    hold: Hold
    claims: list[LoggedClaim]


@app.command
def queues(*, data_dir: DataDir = None, json: Json = False) -> None:
    """How many wait at which stakes, and who pairs them."""

    async def work(system: System) -> QueuesShown:
        async with system.database.connection() as connection:
            return QueuesShown(await queue_lines(connection), await present_matchmakers(connection))

    found = on_system(work, data_dir=data_dir)
    if json:
        print_json(found)
        return
    table = Listing("stake", "waiting", "oldest since", right=("stake", "waiting"))
    for line in found.lines:
        table.add_row(f"{line.amount:,} {line.currency}", f"{line.waiting:,}", when(line.oldest_at))
    OUT.print(table if found.lines else "Nobody is in line.")
    pairs = ", ".join(one.worker for one in found.matchmakers) or "nobody"
    OUT.print(f"Paired by: {pairs}", markup=False, style="dim")


@app.command
def show(
    ticket: Annotated[int, Parameter(help="The ticket's id.")],
    /,
    *,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """A ticket, its hold, and what the log of pairing says of it."""

    async def work(system: System) -> TicketDetail:
        async with system.database.connection() as connection:
            found = await get_ticket(connection, ticket)
            hold = await get_hold(connection, found.hold_id)
            return TicketDetail(found, hold, await claims(connection, ticket=ticket))

    found = on_system(work, data_dir=data_dir)
    if json:
        print_json(found)
        return
    one, hold = found.ticket, found.hold
    OUT.print(f"Ticket {one.id} of {one.player_id}: {one.status}", markup=False)
    OUT.print(
        f"{one.stake_amount:,} {one.currency} and a fee of {one.fee:,}; "
        f"{hold.from_credit:,} of it from credit, {hold.from_wallet:,} from the wallet",
        markup=False,
    )
    OUT.print(f"Staked {when(one.created_at)}, expires {when(one.expires_at)}", markup=False)
    if one.session_id is not None:
        OUT.print(f"Session {one.session_id}", markup=False)
    OUT.print(f"Hold {hold.id}: {hold.state}", markup=False)
    if found.claims:
        OUT.print(_claims_table(found.claims))


@app.command(name="claims")
def claims_(
    *,
    ticket: Annotated[int | None, Parameter(help="Only of this ticket.")] = None,
    outcome: Annotated[str | None, Parameter(help="Only paired, passed, failed or stale.")] = None,
    limit: Limit = 50,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """The log of pairing, the newest first: who was paired, and who was passed by and why."""

    async def work(system: System) -> list[LoggedClaim]:
        async with system.database.connection() as connection:
            return await claims(connection, ticket=ticket, outcome=outcome, limit=limit)

    found = on_system(work, data_dir=data_dir)
    if json:
        print_json(found)
    else:
        OUT.print(_claims_table(found) if found else "The log has nothing of that.")


@app.command
def check(*, data_dir: DataDir = None, json: Json = False) -> int:
    """Whether tickets, sessions and holds agree with each other."""

    async def work(system: System) -> list[Inconsistency]:
        async with system.database.connection() as connection:
            return await check_stakes(connection)

    found = on_system(work, data_dir=data_dir)
    if json:
        print_json(found)
    else:
        for one in found:
            OUT.print(f"{one.what} {one.id}: {one.problem}", markup=False, style="red")
        OUT.print("They agree." if not found else "They do not agree.")
    return FOUND if found else 0


def _claims_table(found: list[LoggedClaim]) -> Listing:
    table = Listing("at", "outcome", "stake", "tickets", "session", "by", right=("stake",))
    for one in found:
        table.add_row(
            when(one.at),
            one.outcome if one.reason is None else f"{one.outcome}: {one.reason}",
            f"{one.stake:,}",
            ", ".join(map(str, one.tickets)),
            "" if one.session_id is None else str(one.session_id),
            one.worker,
        )
    return table
