"""Proof of who somebody is: a session, its picture, its verdict."""

from typing import Annotated, Any
from uuid import UUID

from litestar import Request, post, put
from litestar.datastructures import State
from litestar.params import JSONBody, PathParameter

from handfast.apps.people.people import People
from handfast.apps.people.photos.pictures import PICTURE_BYTES_MAX
from handfast.apps.people.verification.sessions import (
    SAME_FOR,
    StartedSession,
    VerificationResult,
    complete_session,
    open_session,
    put_picture,
    start_session,
)
from handfast.edge.api.people import NewVerification
from handfast.edge.http.policies import OPTIONAL, USER, Key, policy
from handfast.edge.http.problems import problem_spec
from handfast.edge.http.routes.admin_problems import INVALID
from handfast.edge.http.routes.people.uploads import PictureOperation
from handfast.edge.http.signed_in import signed_in
from handfast.engine.system import System
from handfast.services.idempotency import transaction
from handfast.services.idempotency.asgi.rules import Need

NO_SUCH_SESSION = {404: problem_spec("You have no such verification session")}
OVER = {409: problem_spec("It is over, too early, or you have failed three times")}
NO_PICTURE = {
    413: problem_spec("The picture is larger than 10 MiB or 40 megapixels"),
    422: problem_spec("It is no picture that can be decoded"),
    503: problem_spec("Too many pictures are being checked at the moment"),
}

SessionId = Annotated[UUID, PathParameter(description="The session's id.")]


@policy(USER, key=Key(Need.REQUIRED, ttl=SAME_FOR))
@post(
    "/verification/session",
    summary="Begin a verification",
    operation_id="verificationStart",
    responses=INVALID | OVER,
)
async def start(
    request: Request[Any, Any, State], state: State, data: JSONBody[NewVerification]
) -> StartedSession:
    """Asked again within five minutes, it is the same session. It lives for ten."""
    people: People = state.shared["people"]
    async with transaction(request) as tx:
        return await start_session(
            tx, signed_in(request).user_id, data.consent_version, people.provider
        )


@policy(USER, body=PICTURE_BYTES_MAX)
@put(
    "/verification/session/{session_id:uuid}/picture",
    summary="Send the picture",
    operation_id="verificationPicture",
    operation_class=PictureOperation,
    status_code=204,
    responses=INVALID | NO_SUCH_SESSION | OVER | NO_PICTURE,
)
async def picture(request: Request[Any, Any, State], state: State, session_id: SessionId) -> None:
    """The body is the picture: JPEG, PNG or WebP. Another one takes its place."""
    system: System = state.system
    people: People = state.shared["people"]
    user = signed_in(request).user_id
    async with system.database.connection() as connection:
        await open_session(connection, user, session_id)
    made = await people.pictures.remade(await request.body(), whose=user)
    async with transaction(request) as tx:
        await put_picture(tx, people.store, user, session_id, made.jpeg)


@policy(USER, key=OPTIONAL)
@post(
    "/verification/session/{session_id:uuid}/complete",
    summary="Ask for the verdict",
    operation_id="verificationComplete",
    status_code=200,
    responses=INVALID | NO_SUCH_SESSION | OVER,
)
async def complete(
    request: Request[Any, Any, State], state: State, session_id: SessionId
) -> VerificationResult:
    """Asked again, the verdict is the same."""
    system: System = state.system
    people: People = state.shared["people"]
    return await complete_session(
        system.database, people.store, people.provider, signed_in(request).user_id, session_id
    )


HANDLERS = (start, picture, complete)
