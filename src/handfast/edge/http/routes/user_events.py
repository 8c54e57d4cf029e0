"""What concerns the signed-in user, as it comes.

A stream outlives the access token that opened it, but not the sign-in. What ends a sign-in or
suspends an account is an event on the user's own stream, so nobody has to ask again and again: when
such an event comes, or the stream has just begun, the database is asked once whether the sign-in
still stands, before anything after it is sent.
"""

from collections.abc import AsyncIterator
from typing import Annotated, Any

from litestar import Request, get
from litestar.datastructures import State
from litestar.params import HeaderParameter
from litestar.response import ServerSentEvent, ServerSentEventMessage

from handfast.base.text import NO_NUL
from handfast.edge.http.identity import SignedIn
from handfast.edge.http.policies import USER, policy
from handfast.edge.http.problems import problem_spec
from handfast.edge.http.routes.admin_problems import INVALID
from handfast.edge.http.routes.event_streams import server_sent
from handfast.edge.http.signed_in import signed_in
from handfast.engine.host import Host
from handfast.engine.streams.stream import EventStream, StreamMessage
from handfast.engine.system import System
from handfast.services.identity.sign_ins import still_stands

TOO_MANY = {429: problem_spec("You have too many streams open in this process")}
# After these a sign-in may be over, or its account suspended.
DOUBTFUL = frozenset(
    {"auth.signed_out", "auth.refresh_reused", "user.suspended", "user.deleted", "reset"}
)


@policy(USER)
@get(
    "/events",
    summary="What concerns you, as it comes",
    operation_id="events",
    media_type="text/event-stream",
    responses=INVALID | TOO_MANY,
)
async def events(
    request: Request[Any, Any, State],
    state: State,
    last_event_id: Annotated[
        str | None,
        HeaderParameter(
            name="Last-Event-ID",
            max_length=100,
            pattern=NO_NUL,
            description="Go on after this event; without it, from now.",
        ),
    ] = None,
) -> ServerSentEvent:
    """Server-sent events: offers, matches, messages, reads, each once, in order, with a number as
    its id. Send the last one as `Last-Event-ID` and you miss nothing; `reset` says that events were
    missed that are no longer kept. Ends with the sign-in, or when the account is suspended."""
    host: Host = state.host
    user = signed_in(request)
    stream = await host.hub.stream_of_user(user.user_id, after=last_event_id)
    return ServerSentEvent(_messages(request, user, stream))


async def _messages(
    request: Request[Any, Any, State], user: SignedIn, stream: EventStream
) -> AsyncIterator[ServerSentEventMessage]:
    system: System = request.app.state.system
    in_doubt = True  # it may have ended between the guard and the first look

    def looked_at(message: StreamMessage) -> StreamMessage:
        nonlocal in_doubt
        in_doubt = in_doubt or message.name in DOUBTFUL
        return message

    try:
        async for message in server_sent(stream, request, looked_at):
            if in_doubt:
                async with system.database.connection() as connection:
                    if not await still_stands(connection, user.sign_in_id):
                        return
                in_doubt = False
            if message is not None:
                yield message
    finally:
        stream.close()


HANDLERS: list[Any] = [events]
