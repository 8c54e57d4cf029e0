"""Messages of a match."""

from datetime import timedelta
from typing import Annotated, Any
from uuid import UUID

from litestar import Request, Response, Router, get, post
from litestar.datastructures import State
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import JSONBody, PathParameter, QueryParameter

from handfast.apps.chat.messages import (
    PAGE_DEFAULT,
    PAGE_LARGEST,
    Message,
    MessagePage,
    ReadState,
    list_messages,
    mark_read,
    send_message,
)
from handfast.apps.chat.settings import ChatSettings
from handfast.edge.api.chat import NewMessage, ReadMark
from handfast.edge.http.policies import KIB, REQUIRED, USER, RouteLimit, policy
from handfast.edge.http.problems import problem_spec
from handfast.edge.http.routes.admin_problems import INVALID
from handfast.edge.http.signed_in import signed_in
from handfast.engine.system import System
from handfast.services.idempotency import transaction

NO_SUCH_MATCH = {404: problem_spec("You have no such match, or it has no such message")}
CLOSED = {409: problem_spec("The match is closed; or `clientMessageId` is another message's")}
SHOWS_NOTHING = {422: problem_spec("The text shows nothing, or has control characters")}
NO_SUCH_PLACE = {422: problem_spec("`before` is no message of this match")}
AGAIN = {
    200: ResponseSpec(
        Message, generate_examples=False, description="It was sent before: the stored one"
    )
}

# For each user, whatever matches they write in.
SENT = [
    RouteLimit(
        "messages-minute",
        lambda settings: settings.of(ChatSettings).chat_messages_per_minute,
        timedelta(minutes=1),
        by="principal",
        durable=False,  # a crash may forgive some messages; a flush for each would cost more
    ),
    RouteLimit(
        "messages-hour",
        lambda settings: settings.of(ChatSettings).chat_messages_per_hour,
        timedelta(hours=1),
        by="principal",
        durable=False,  # a crash may forgive some messages; a flush for each would cost more
    ),
]

MatchId = Annotated[UUID, PathParameter(description="One of your matches.")]
Before = Annotated[UUID | None, QueryParameter(description="Only what is older than this message.")]
PageLimit = Annotated[int, QueryParameter(ge=1, le=PAGE_LARGEST, description="At most so many.")]


@policy(USER)
@get(
    "/matches/{match_id:uuid}/messages",
    summary="Messages of a match",
    operation_id="messages",
    responses=INVALID | NO_SUCH_MATCH | NO_SUCH_PLACE,
)
async def messages(
    request: Request[Any, Any, State],
    state: State,
    match_id: MatchId,
    before: Before = None,
    limit: PageLimit = PAGE_DEFAULT,
) -> MessagePage:
    """The newest first. Pages stay as they are while messages arrive. A closed match's are kept for
    30 days."""
    system: System = state.system
    user = signed_in(request).user_id
    async with system.database.connection() as connection:
        return await list_messages(connection, user, match_id, before=before, limit=limit)


@policy(USER, key=REQUIRED, limits=SENT, body=32 * KIB)
@post(
    "/matches/{match_id:uuid}/messages",
    summary="Send a message",
    operation_id="messageSend",
    responses=INVALID | NO_SUCH_MATCH | CLOSED | SHOWS_NOTHING | AGAIN,
)
async def send(
    request: Request[Any, Any, State], match_id: MatchId, data: JSONBody[NewMessage]
) -> Response[Message]:
    """201 for a new one. The same `clientMessageId` with the same text, however late: 200 with the
    message that is stored. With another text: 409."""
    user = signed_in(request).user_id
    async with transaction(request) as tx:
        message, is_new = await send_message(
            tx, user, match_id, data.content, data.client_message_id
        )
    return Response(message, status_code=201 if is_new else 200)


@policy(USER, key=REQUIRED, body=KIB)
@post(
    "/matches/{match_id:uuid}/read",
    summary="Mark messages as read",
    operation_id="messagesRead",
    status_code=200,
    responses=INVALID | NO_SUCH_MATCH | {409: problem_spec("The match is closed")},
)
async def read(
    request: Request[Any, Any, State], match_id: MatchId, data: JSONBody[ReadMark]
) -> ReadState:
    """Up to a message, or all of them. A mark never goes back: one behind it changes nothing."""
    async with transaction(request) as tx:
        return await mark_read(tx, signed_in(request).user_id, match_id, data.up_to_message_id)


router: Any = Router(path="/", route_handlers=[messages, send, read], tags=["matches"])
