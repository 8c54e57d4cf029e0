"""``handfast sessions``: games and disputes."""

from typing import Annotated
from uuid import UUID

import msgspec
from cyclopts import App, Parameter

from handfast.apps.stakes.sessions.disputes import list_disputes, resolve_dispute
from handfast.apps.stakes.sessions.games import dispute_about, get_session, list_sessions, moves_of
from handfast.apps.stakes.values import Dispute, SessionStatus
from handfast.base.errors import InvalidRequest
from handfast.edge.api.stakes import MoveShown, SessionShown, move_shown, session_shown
from handfast.edge.cli.jobs.jobs import on_system, when
from handfast.edge.cli.speaking.changes import changing
from handfast.edge.cli.speaking.listing import Listing
from handfast.edge.cli.speaking.options import DataDir, Json, Limit
from handfast.edge.cli.speaking.output import OUT, print_json
from handfast.engine.system import System

app = App(name="sessions", help="Games and disputes: list and show them, settle a dispute.")


class SessionDetail(msgspec.Struct, rename="camel"):
    session: SessionShown
    moves: list[MoveShown]


@app.command(name="list")
def list_(
    *,
    status: Annotated[SessionStatus | None, Parameter(help="Only of this status.")] = None,
    before: Annotated[int | None, Parameter(help="Only older than this session.")] = None,
    limit: Limit = 50,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """List sessions, the newest first."""

    async def work(system: System) -> list[SessionShown]:
        async with system.database.connection() as connection:
            found = await list_sessions(connection, status=status, before=before, limit=limit)
        return [session_shown(one, None) for one in found]

    found = on_system(work, data_dir=data_dir)
    if json:
        print_json(found)
        return
    table = Listing(
        *("session", "status", "stake", "players", "winner", "since"), right=("session", "stake")
    )
    for one in found:
        table.add_row(
            str(one.id),
            one.status,
            f"{one.amount:,}",
            "\n".join(map(str, one.players)),
            "" if one.winner_id is None else str(one.winner_id),
            when(one.created_at),
        )
    OUT.print(table if found else "There is no such session.")


@app.command
def show(
    session: Annotated[int, Parameter(help="The session's id.")],
    /,
    *,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """A session, its moves, and its dispute if there is one."""

    async def work(system: System) -> SessionDetail:
        async with system.database.connection() as connection:
            found = await get_session(connection, session)
            dispute = await dispute_about(connection, session)
            moves = await moves_of(connection, session)
        return SessionDetail(session_shown(found, dispute), [move_shown(one) for one in moves])

    found = on_system(work, data_dir=data_dir)
    if json:
        print_json(found)
        return
    one = found.session
    OUT.print(f"Session {one.id}: {one.status}, {one.amount:,} {one.currency} each", markup=False)
    for player in one.players:
        OUT.print(f"  {player}{' won' if player == one.winner_id else ''}", markup=False)
    OUT.print(f"{one.moves} moves; expires {when(one.expires_at)}", markup=False)
    if one.dispute is not None:
        OUT.print(
            f"Dispute {one.dispute.id}: {one.dispute.status}; reported: {one.dispute.reported}",
            markup=False,
        )


@app.command
def disputes(
    *,
    everything: Annotated[
        bool, Parameter(name="--all", help="Also resolved ones.", negative=())
    ] = False,
    limit: Limit = 50,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """What waits for a person, the oldest first."""

    async def work(system: System) -> list[Dispute]:
        async with system.database.connection() as connection:
            status = None if everything else "open"
            return await list_disputes(connection, status=status, limit=limit)

    found = on_system(work, data_dir=data_dir)
    if json:
        print_json(found)
        return
    table = Listing(
        *("dispute", "session", "status", "pot", "reported", "by when"),
        right=("dispute", "session"),
    )
    for one in found:
        table.add_row(
            str(one.id),
            str(one.session_id),
            one.status,
            "frozen" if one.frozen else "paid out",
            one.reported or "",
            when(one.deadline),
        )
    OUT.print(table if found else "Nothing waits for a person.")


@app.command
def resolve(
    dispute: Annotated[int, Parameter(help="The dispute's id.")],
    /,
    *,
    winner: Annotated[UUID | None, Parameter(help="For this player.")] = None,
    split: Annotated[bool, Parameter(help="Everybody's own.", negative=())] = False,
    reason: Annotated[str | None, Parameter(help="Why; the audit has it.")] = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Decide a dispute: --winner PLAYER or --split."""
    if (winner is None) != split:
        raise InvalidRequest(
            "A dispute is decided for one of the two, or split.",
            hint="Say --winner PLAYER or --split.",
        )

    async def work(system: System) -> Dispute:
        subject = f"dispute:{dispute}"
        async with changing(system, "dispute.resolve", subject, reason=reason) as change:
            return await resolve_dispute(change.tx, dispute, winner)

    found = on_system(work, data_dir=data_dir)
    if json:
        print_json(found)
        return
    how = "split" if found.resolved_for is None else f"decided for {found.resolved_for}"
    OUT.print(f"Dispute {found.id} is {how}.", markup=False)
