"""``handfast identity``: accounts and their sign-ins, for operators."""

from datetime import timedelta
from typing import Annotated
from uuid import UUID

from cyclopts import App, Parameter, validators

from handfast.base.errors import InvalidRequest, NotFound
from handfast.db.transaction import Queryable
from handfast.edge.cli.identity.keys import keys
from handfast.edge.cli.jobs.jobs import on_system, when
from handfast.edge.cli.speaking.changes import changing
from handfast.edge.cli.speaking.listing import Listing
from handfast.edge.cli.speaking.options import DataDir, Json
from handfast.edge.cli.speaking.output import OUT, print_json
from handfast.engine.operating.audit import Change
from handfast.engine.system import System
from handfast.services.identity.accounts import (
    Account,
    find_by_phone,
    get_account,
    instant_after,
)
from handfast.services.identity.sign_ins import (
    SignIn,
    end_sign_ins,
    list_sign_ins,
    tell_ended,
)
from handfast.services.identity.suspension import reinstate, suspend

DAYS_MAX = 3650

app = App(name="identity", help="Accounts, sign-ins and signing keys: look, suspend, end, rotate.")
app.command(keys)

User = Annotated[str, Parameter(help="The user's id, or the phone number with + and country code.")]
Why = Annotated[str, Parameter(help="Why; the audit has it.")]


@app.command
def show(user: User, /, *, data_dir: DataDir = None, json: Json = False) -> None:
    """Show an account."""

    async def work(system: System) -> Account:
        async with system.database.connection() as connection:
            return await _called(connection, user)

    _print_account(on_system(work, data_dir=data_dir), json=json)


@app.command(name="suspend")
def suspend_(
    user: User,
    /,
    *,
    reason: Why,
    days: Annotated[
        int | None,
        Parameter(
            help="For how long; without it, for ever.",
            validator=validators.Number(gte=1, lte=DAYS_MAX),
        ),
    ] = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Suspend an account: it holds for the next request, and ends no sign-in."""

    async def work(system: System) -> Account:
        async with changing(system, "user.suspend", reason=reason) as change:
            account = await _about(change, user)
            until = None
            if days is not None:
                until = await instant_after(change.tx, timedelta(days=days))
            return await suspend(change.tx, system.hooks, account.id, until=until)

    _print_account(on_system(work, data_dir=data_dir), json=json)


@app.command(name="reinstate")
def reinstate_(user: User, /, *, reason: Why, data_dir: DataDir = None, json: Json = False) -> None:
    """End a suspension."""

    async def work(system: System) -> Account:
        async with changing(system, "user.reinstate", reason=reason) as change:
            account = await _about(change, user)
            return await reinstate(change.tx, system.hooks, account.id)

    _print_account(on_system(work, data_dir=data_dir), json=json)


@app.command
def sessions(user: User, /, *, data_dir: DataDir = None, json: Json = False) -> None:
    """List an account's sign-ins, the newest first."""

    async def work(system: System) -> list[SignIn]:
        async with system.database.connection() as connection:
            return await list_sign_ins(connection, (await _called(connection, user)).id)

    found = on_system(work, data_dir=data_dir)
    if json:
        print_json({"sessions": found})
        return
    table = Listing("id", "since", "last used", "until")
    for one in found:
        table.add_row(
            str(one.id), when(one.created_at), when(one.last_used_at), when(one.expires_at)
        )
    OUT.print(table if found else "Signed in nowhere.")


@app.command(name="sign-out")
def sign_out(user: User, /, *, reason: Why, data_dir: DataDir = None, json: Json = False) -> None:
    """End all sign-ins of an account, with their tokens."""

    async def work(system: System) -> int:
        async with changing(system, "user.sign_out", reason=reason) as change:
            account = await _about(change, user)
            ended = await end_sign_ins(change.tx, account.id, "operator")
            await tell_ended(change.tx, account.id, ended)
            return len(ended)

    ended = on_system(work, data_dir=data_dir)
    if json:
        print_json({"ended": ended})
    else:
        OUT.print(f"{ended} sign-ins are ended.")


async def _called(on: Queryable, given: str) -> Account:
    if given.startswith("+"):
        found = await find_by_phone(on, given)
        if found is None:
            raise NotFound("That number has no account.", hint="Write it as +4915123456789.")
        return found
    try:
        return await get_account(on, UUID(given))
    except ValueError:
        raise InvalidRequest(
            f"{given!r} is neither an id nor a phone number.",
            hint="A phone number is written with + and its country's code.",
        ) from None


async def _about(change: Change, given: str) -> Account:
    account = await _called(change.tx, given)
    change.about(f"user:{account.id}")
    return account


def _print_account(account: Account, *, json: bool) -> None:
    if json:
        print_json(account)
        return
    OUT.print(f"{account.id}  {account.phone or 'erased'}  {account.status}", markup=False)
    if account.suspended_at is not None:
        end = "for ever" if account.suspended_until is None else when(account.suspended_until)
        OUT.print(f"  suspended {when(account.suspended_at)} until: {end}", markup=False)
        OUT.print(f"  action {account.action_id}", markup=False)
