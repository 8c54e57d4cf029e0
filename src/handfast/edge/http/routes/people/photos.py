"""Photos: sent, removed, looked at."""

from typing import Annotated, Any, Literal
from uuid import UUID

from litestar import Request, Response, delete, get, post
from litestar.datastructures import State
from litestar.params import PathParameter, QueryParameter

from handfast.apps.people.people import People
from handfast.apps.people.photos.photos import (
    add_photo,
    check_welcome,
    digest_of,
    read_photo,
    remove_photo,
    visible_photo,
)
from handfast.apps.people.profiles.profile import PhotoShown
from handfast.edge.http.identity import identity_of
from handfast.edge.http.policies import OPERATOR, REQUIRED, USER, policy
from handfast.edge.http.problems import problem_spec
from handfast.edge.http.routes.admin_problems import INVALID
from handfast.edge.http.routes.people.uploads import (
    FORM_BYTES_MAX,
    PhotoFormOperation,
    photo_form,
)
from handfast.edge.http.signed_in import signed_in
from handfast.engine.system import System
from handfast.services.idempotency import transaction

NO_SUCH_PHOTO = {404: problem_spec("There is no such photo, or none that you may see")}
REFUSED = {
    409: problem_spec("You have sent this photo before, or have nine already"),
    413: problem_spec("The picture is larger than 10 MiB or 40 megapixels"),
    422: problem_spec("It is no form with a picture that can be decoded"),
    503: problem_spec("Too many pictures are being checked at the moment"),
}
# A picture is somebody's face: no cache keeps it, and no browser takes it for anything else.
PICTURE_HEADERS = {
    "Cache-Control": "private, no-store",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Content-Disposition": "inline",
}

PhotoId = Annotated[UUID, PathParameter(description="The photo's id.")]
Size = Annotated[
    Literal["full", "thumbnail"],
    QueryParameter(description="Until there is a thumbnail the full picture stands in for it."),
]


@policy(USER, key=REQUIRED, body=FORM_BYTES_MAX)
@post(
    "/users/me/photos",
    summary="Send a photo",
    operation_id="photoAdd",
    operation_class=PhotoFormOperation,
    responses=INVALID | REFUSED,
)
async def add(request: Request[Any, Any, State], state: State) -> PhotoShown:
    """Looked at by content, and made anew: what you sent is not stored."""
    system: System = state.system
    people: People = state.shared["people"]
    user = signed_in(request).user_id
    form = await photo_form(request)
    digest = digest_of(form.photo)
    async with system.database.connection() as connection:
        await check_welcome(connection, user, digest)
    picture = await people.pictures.remade(form.photo, whose=user)
    async with transaction(request) as tx:
        return await add_photo(tx, people.store, user, picture, digest, is_primary=form.is_primary)


@policy(USER)
@delete(
    "/users/me/photos/{photo_id:uuid}",
    summary="Delete a photo of yours",
    operation_id="photoRemove",
    responses=NO_SUCH_PHOTO,
)
async def remove(request: Request[Any, Any, State], photo_id: PhotoId) -> None:
    """If it was the primary one, the oldest of the others is from now on."""
    async with transaction(request) as tx:
        await remove_photo(tx, signed_in(request).user_id, photo_id)


@policy(USER, OPERATOR)
@get(
    "/photos/{photo_id:uuid}",
    summary="A photo",
    operation_id="photo",
    media_type="image/jpeg",
    responses=INVALID | NO_SUCH_PHOTO,
)
async def look(
    request: Request[Any, Any, State], state: State, photo_id: PhotoId, size: Size = "full"
) -> Response[bytes]:
    """To its owner, to those whom its owner is shown, and to operators."""
    system: System = state.system
    people: People = state.shared["people"]
    user = identity_of(request).signed_in
    async with system.database.connection() as connection:
        photo = await visible_photo(
            connection, None if user is None else user.user_id, photo_id, people.shown
        )
    content = await read_photo(people.store, photo, small=size == "thumbnail")
    return Response(content, media_type="image/jpeg", headers=PICTURE_HEADERS)


HANDLERS = (add, remove, look)
