"""``handfast identity keys``: what signs access tokens."""

from typing import Annotated

from cyclopts import App, Parameter

from handfast.edge.cli.jobs.jobs import on_system, when
from handfast.edge.cli.speaking.changes import changing
from handfast.edge.cli.speaking.listing import Listing
from handfast.edge.cli.speaking.options import DataDir, Json
from handfast.edge.cli.speaking.output import OUT, print_json
from handfast.engine.system import System
from handfast.services.identity.authority import TokenAuthority
from handfast.services.identity.tokens.signing_keys import SigningKeyRow, add_key, verifying_keys

keys = App(name="keys", help="What signs access tokens: list, rotate.")


@keys.command(name="list")
def list_(*, data_dir: DataDir = None, json: Json = False) -> None:
    """List the keys whose tokens are good, the newest first."""

    async def work(system: System) -> list[SigningKeyRow]:
        async with system.database.connection() as connection:
            return await verifying_keys(connection)

    _print_keys(on_system(work, data_dir=data_dir), json=json)


@keys.command
def rotate(
    *,
    revoke: Annotated[
        bool,
        Parameter(
            negative=(),
            help="Accept nothing any more that was signed before: for a key that got out. "
            "Everybody's app has to refresh.",
        ),
    ] = False,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Make the next key now: published at once, signing in ten minutes."""

    async def work(system: System) -> list[SigningKeyRow]:
        secret = TokenAuthority(system.settings).secret
        async with changing(system, "identity.rotate", "signing-keys") as change:
            await add_key(change.tx, secret, max_age=None, revoke=revoke)
            return await verifying_keys(change.tx)

    _print_keys(on_system(work, data_dir=data_dir), json=json)


def _print_keys(found: list[SigningKeyRow], *, json: bool) -> None:
    if json:
        shown = ("kid", "created_at", "signs_from", "verifies_until")
        print_json({"keys": [{name: getattr(key, name) for name in shown} for key in found]})
        return
    table = Listing("key", "signs from", "verifies until")
    for key in found:
        table.add_row(key.kid, when(key.signs_from), when(key.verifies_until))
    OUT.print(table if found else "No key yet: the first is made when somebody signs in.")
