"""``handfast people``: users, for operators; and people who do not exist."""

import os
from datetime import timedelta
from pathlib import Path
from typing import Annotated
from uuid import UUID

from cyclopts import App, Parameter, validators

from handfast.apps.people.people import people_of
from handfast.apps.people.personal_data.copying import copy_of
from handfast.apps.people.profiles.profile import UserStatus
from handfast.apps.people.views import UserDetail, UserFilter, UserPage, list_users, show_user
from handfast.base.errors import InvalidRequest
from handfast.db.transaction import Queryable
from handfast.edge.cli.jobs.jobs import on_system
from handfast.edge.cli.people.printing import print_user, print_users
from handfast.edge.cli.speaking.changes import changing
from handfast.edge.cli.speaking.options import DataDir, Json, Limit
from handfast.edge.cli.speaking.output import OUT, print_json
from handfast.engine.capability import each
from handfast.engine.system import System
from handfast.services.identity.accounts import find_by_phone, instant_after
from handfast.services.identity.suspension import reinstate as reinstate_account
from handfast.services.identity.suspension import suspend as suspend_account

PEOPLE_MAX = 10_000_000
DAYS_MAX = 3650

app = App(
    name="people", help="People: list and show them, suspend, reinstate, export, make some up."
)

User = Annotated[str, Parameter(help="The user's id, or the phone number with + and country code.")]
Why = Annotated[str, Parameter(help="Why; the audit has it.")]


@app.command(name="list")
def list_(
    *,
    phone: Annotated[str | None, Parameter(help="Only this number, as +49….")] = None,
    name: Annotated[str | None, Parameter(help="Only names that begin so.")] = None,
    status: Annotated[UserStatus | None, Parameter(help="Only profiles of this status.")] = None,
    after: Annotated[str | None, Parameter(help="Go on after this place (`next`).")] = None,
    limit: Limit = 50,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """List users, the newest first; with --name in the order of names."""

    async def work(system: System) -> UserPage:
        async with system.database.connection() as connection:
            where = UserFilter(phone, name, status)
            return await list_users(connection, where, after=after, limit=limit)

    page = on_system(work, data_dir=data_dir)
    if json:
        print_json(page)
    else:
        print_users(page)


@app.command
def show(user: User, /, *, data_dir: DataDir = None, json: Json = False) -> None:
    """Show a user: the profile, and what happened around it."""

    async def work(system: System) -> UserDetail:
        async with system.database.connection() as connection:
            return await show_user(connection, await _called(connection, user))

    _print(on_system(work, data_dir=data_dir), json=json)


@app.command
def suspend(
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
    """Suspend a user: it holds for their next request, and hides them."""

    async def work(system: System) -> UserDetail:
        async with changing(system, "user.suspend", reason=reason) as change:
            user_id = await _called(change.tx, user)
            change.about(f"user:{user_id}")
            until = None
            if days is not None:
                until = await instant_after(change.tx, timedelta(days=days))
            await suspend_account(change.tx, system.hooks, user_id, until=until)
            return await show_user(change.tx, user_id)

    _print(on_system(work, data_dir=data_dir), json=json)


@app.command
def reinstate(user: User, /, *, reason: Why, data_dir: DataDir = None, json: Json = False) -> None:
    """End a suspension."""

    async def work(system: System) -> UserDetail:
        async with changing(system, "user.reinstate", reason=reason) as change:
            user_id = await _called(change.tx, user)
            change.about(f"user:{user_id}")
            await reinstate_account(change.tx, system.hooks, user_id)
            return await show_user(change.tx, user_id)

    _print(on_system(work, data_dir=data_dir), json=json)


@app.command
def export(
    user: User,
    /,
    *,
    to: Annotated[Path, Parameter(help="The archive to write; it must not be there yet.")],
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Write a copy of everything that is kept about a user, as they would get it themselves."""

    async def work(system: System) -> tuple[UUID, bytes]:
        async with changing(system, "user.export") as change:
            user_id = await _called(change.tx, user)
            await show_user(change.tx, user_id)
            change.about(f"user:{user_id}")
        keeps = each(system.capabilities.on, "personal_data")
        return user_id, await copy_of(system.database, people_of(system).store, keeps, user_id)

    user_id, archive = on_system(work, data_dir=data_dir)
    try:
        # All that is known about somebody: for nobody else on this machine.
        with os.fdopen(os.open(to, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(archive)
    except OSError as error:
        raise InvalidRequest(
            f"{to} cannot be written: {error.strerror}.", hint="Name a file that is not there yet."
        ) from error
    if json:
        print_json({"userId": user_id, "file": str(to), "bytes": len(archive)})
    else:
        OUT.print(f"Wrote {to}, {len(archive):,} bytes.", markup=False)


@app.command
def generate(
    count: Annotated[
        int, Parameter(help="How many.", validator=validators.Number(gte=1, lte=PEOPLE_MAX))
    ],
    /,
    *,
    seed: Annotated[
        int,
        Parameter(help="The same seed makes the same people.", validator=validators.Number(gte=0)),
    ] = 1,
    responses: Annotated[
        bool, Parameter(help="Also single answers, not only the rows that offers read.")
    ] = True,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Make people up: cities, ages, wishes and answers that hang together. For trying things out;
    their numbers are of a country that does not exist. Called again, it makes more of them."""

    async def work(system: System) -> int:
        # It brings numpy along, which nothing else here needs.
        from handfast.apps.people.generator.loading import load_people  # noqa: PLC0415

        async with changing(system, "people.generate", f"seed:{seed}"):
            pass
        return await load_people(system.database, count, seed=seed, responses=responses)

    first = on_system(work, data_dir=data_dir)
    if json:
        print_json({"seed": seed, "first": first, "people": count})
    else:
        OUT.print(f"Made {count:,} people of seed {seed}, from number {first:,} on.")


async def _called(on: Queryable, user: str) -> UUID:
    """By id or phone; whether there is one by that id the caller finds out."""
    if user.startswith("+"):
        found = await find_by_phone(on, user)
        if found is not None:
            return found.id
        raise InvalidRequest(f"No user has the number {user}.", hint="Write it as +4930123456.")
    try:
        return UUID(user)
    except ValueError:
        raise InvalidRequest(
            f"{user!r} is neither an id nor a phone number.",
            hint="handfast people list shows ids; numbers begin with +.",
        ) from None


def _print(detail: UserDetail, *, json: bool) -> None:
    if json:
        print_json(detail)
    else:
        print_user(detail)
