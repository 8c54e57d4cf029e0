"""The queue and the games, for operators: who waits and why, and where each stake's money went."""

from typing import Annotated, Any
from uuid import UUID

from litestar import get
from litestar.datastructures import State
from litestar.params import PathParameter, QueryParameter

from handfast.apps.stakes import watching
from handfast.apps.stakes.terms import terms_of
from handfast.apps.stakes.values import SessionStatus, TicketStatus
from handfast.apps.stakes.watching import QueueShown
from handfast.edge.api.bounds import ID_MAX
from handfast.edge.api.stakes import (
    GameDetail,
    SessionList,
    StakeDetail,
    TicketList,
    game_detail,
    session_shown,
    stake_detail,
    ticket_held,
)
from handfast.edge.api.viewing import as_it_is
from handfast.edge.http.policies import OPERATOR, policy
from handfast.edge.http.problems import problem_spec
from handfast.edge.http.routes.admin_problems import INVALID, Limit
from handfast.engine.system import System

NO_SUCH_TICKET = {404: problem_spec("There is no such ticket")}
NO_SUCH_SESSION = {404: problem_spec("There is no such session")}
After = Annotated[
    int | None, QueryParameter(ge=1, le=ID_MAX, description="The `next` of the page before.")
]


@policy(OPERATOR, viewer=as_it_is)
@get("/admin/stakes/queues", summary="Who waits at which stakes", operation_id="adminStakeQueues")
async def queues(state: State) -> QueueShown:
    """How many, since when, why the first of each line has no partner yet, and who pairs. Counted
    up to a thousand in each line."""
    system: System = state.system
    async with system.database.connection() as connection:
        return await watching.watch_queue(connection, terms_of(system.settings))


@policy(OPERATOR)
@get(
    "/admin/stakes",
    summary="Tickets",
    operation_id="adminStakes",
    responses=INVALID,
)
async def tickets(
    state: State,
    *,
    player: Annotated[UUID | None, QueryParameter(description="Only this player's.")] = None,
    amount: Annotated[
        int | None, QueryParameter(ge=1, le=ID_MAX, description="Who wait at this stake, in line.")
    ] = None,
    status: Annotated[
        TicketStatus | None, QueryParameter(description="Only these; who wait in line are queued.")
    ] = None,
    after: After = None,
    limit: Limit = 100,
) -> TicketList:
    """The newest first; of those who wait at one stake, the first in line first. A page of one
    status looks at a bounded number of tickets: it may be short, even empty, and still have a
    `next`."""
    system: System = state.system
    async with system.database.connection() as connection:
        page = await watching.list_tickets(
            connection, player=player, amount=amount, status=status, after=after, limit=limit
        )
    return TicketList([ticket_held(ticket) for ticket in page.tickets], page.next)


@policy(OPERATOR)
@get(
    "/admin/stakes/{ticket_id:int}",
    summary="One stake whole",
    operation_id="adminStake",
    responses=INVALID | NO_SUCH_TICKET,
)
async def ticket(
    state: State,
    ticket_id: Annotated[int, PathParameter(ge=1, le=ID_MAX, description="The ticket's id.")],
) -> StakeDetail:
    """The ticket, its hold, what the log of pairing says of it, and its money entry by entry."""
    system: System = state.system
    async with system.database.connection() as connection:
        return stake_detail(await watching.whole_ticket(connection, ticket_id))


@policy(OPERATOR)
@get("/admin/sessions", summary="Games", operation_id="adminSessions", responses=INVALID)
async def sessions(
    state: State,
    *,
    status: Annotated[SessionStatus | None, QueryParameter(description="Only these.")] = None,
    after: After = None,
    limit: Limit = 100,
) -> SessionList:
    """The newest first. A page of one status looks at a bounded number of games: it may be short,
    even empty, and still have a `next`."""
    system: System = state.system
    async with system.database.connection() as connection:
        page = await watching.page_of_sessions(connection, status=status, after=after, limit=limit)
    return SessionList([session_shown(one, None) for one in page.sessions], page.next)


@policy(OPERATOR)
@get(
    "/admin/sessions/{session_id:int}",
    summary="One game whole",
    operation_id="adminGame",
    responses=INVALID | NO_SUCH_SESSION,
)
async def session(
    state: State,
    session_id: Annotated[int, PathParameter(ge=1, le=ID_MAX, description="The session's id.")],
) -> GameDetail:
    """With its dispute, both tickets, and all of its money entry by entry."""
    system: System = state.system
    async with system.database.connection() as connection:
        return game_detail(await watching.whole_session(connection, session_id))


HANDLERS: tuple[Any, ...] = (queues, tickets, ticket, sessions, session)
