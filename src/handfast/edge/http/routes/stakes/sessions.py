"""Games: looking at one, moves and disputes, for its two players; results, for game servers."""

from typing import Annotated, Any

from litestar import Request, get, post
from litestar.datastructures import State
from litestar.params import JSONBody, PathParameter, QueryParameter

from handfast.apps.stakes.sessions import disputes, games, results
from handfast.apps.stakes.values import MOVE_NUMBER_MAX, Dispute, NewMove
from handfast.edge.api.bounds import ID_MAX
from handfast.edge.api.stakes import (
    MoveShown,
    ResultAnswer,
    SentDispute,
    SentMove,
    SentResult,
    SessionShown,
    move_shown,
    session_shown,
)
from handfast.edge.http.policies import GAME_SERVER, KIB, OPTIONAL, PLAYER, REQUIRED, USER, policy
from handfast.edge.http.problems import problem_spec
from handfast.edge.http.routes.admin_problems import INVALID, Limit
from handfast.edge.http.signed_in import signed_in
from handfast.engine.system import System
from handfast.services.idempotency import transaction

NO_SUCH_SESSION = {404: problem_spec("You play in no such session")}
UNKNOWN_SESSION = {404: problem_spec("There is no such session")}
NOT_NOW = {409: problem_spec("The session is over, or `expected` is the number of the next move")}
DISPUTED = {409: problem_spec("The session is over, or disputed already")}
NO_PLAYER = {422: problem_spec("The winner did not play")}
TOO_LARGE = {422: problem_spec("The payload cannot be stored, or is too large")}
NO_REASON = {422: problem_spec("There is no reason")}

SessionId = Annotated[int, PathParameter(ge=1, le=ID_MAX, description="The session's id.")]
AfterMove = Annotated[
    int, QueryParameter(ge=0, le=MOVE_NUMBER_MAX, description="Moves after this number.")
]


@policy(USER, PLAYER)
@get(
    "/sessions/{session_id:int}",
    summary="A game of yours",
    operation_id="session",
    responses=INVALID | NO_SUCH_SESSION,
)
async def look(
    request: Request[Any, Any, State], state: State, session_id: SessionId
) -> SessionShown:
    """With its `token`, the secret that both players are shown."""
    system: System = state.system
    async with system.database.connection() as connection:
        found = await games.get_session(connection, session_id, signed_in(request).user_id)
        dispute = await games.dispute_about(connection, session_id)
    return session_shown(found, dispute, token=True)


@policy(USER, PLAYER)
@get(
    "/sessions/{session_id:int}/moves",
    summary="The moves of a game of yours",
    operation_id="sessionMoves",
    responses=INVALID | NO_SUCH_SESSION,
)
async def list_moves(
    request: Request[Any, Any, State],
    state: State,
    session_id: SessionId,
    after: AfterMove = 0,
    limit: Limit = 100,
) -> list[MoveShown]:
    """In order."""
    system: System = state.system
    async with system.database.connection() as connection:
        await games.get_session(connection, session_id, signed_in(request).user_id)
        moves = await games.moves_of(connection, session_id, after=after, limit=limit)
    return [move_shown(move) for move in moves]


@policy(USER, PLAYER, key=OPTIONAL, body=16 * KIB)
@post(
    "/sessions/{session_id:int}/moves",
    summary="Make a move",
    operation_id="sessionMove",
    responses=INVALID | NO_SUCH_SESSION | NOT_NOW | TOO_LARGE,
)
async def move(
    request: Request[Any, Any, State], session_id: SessionId, data: JSONBody[SentMove]
) -> MoveShown:
    """The next one. One that is there already, and is the same, is answered as it is."""
    made = NewMove(data.number, data.type, data.payload)
    async with transaction(request) as tx:
        return move_shown(await games.make_move(tx, session_id, signed_in(request).user_id, made))


@policy(GAME_SERVER, key=REQUIRED)
@post(
    "/sessions/{session_id:int}/result",
    summary="How a game went",
    operation_id="sessionResult",
    status_code=200,
    responses=INVALID | UNKNOWN_SESSION | NO_PLAYER,
)
async def result(
    request: Request[Any, Any, State], session_id: SessionId, data: JSONBody[SentResult]
) -> ResultAnswer:
    """The winner takes the pot; a draw returns each part to where it came from. The same result
    again changes nothing; another one opens a dispute, and so does one that comes after the session
    was void."""
    async with transaction(request) as tx:
        told = await results.report_result(tx, session_id, data.winner_id)
        return ResultAnswer(session_shown(told.session, told.dispute), told.repeated)


@policy(USER, PLAYER, key=REQUIRED)
@post(
    "/sessions/{session_id:int}/dispute",
    summary="Dispute a game",
    operation_id="sessionDispute",
    responses=INVALID | NO_SUCH_SESSION | DISPUTED | NO_REASON,
)
async def dispute(
    request: Request[Any, Any, State], session_id: SessionId, data: JSONBody[SentDispute]
) -> Dispute:
    """The pot is frozen until an operator decides."""
    async with transaction(request) as tx:
        return await disputes.dispute_session(
            tx, session_id, signed_in(request).user_id, data.reason
        )


HANDLERS = (look, list_moves, move, result, dispute)
