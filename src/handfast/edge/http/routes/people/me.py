"""The own profile and preferences."""

from typing import Any

from litestar import Request, get, patch, put
from litestar.datastructures import State
from litestar.params import JSONBody

from handfast.apps.people.profiles.changing import change_profile, get_user
from handfast.apps.people.profiles.preferences import get_preferences, put_preferences
from handfast.apps.people.profiles.profile import ProfileChange, User
from handfast.edge.http.policies import PERSONAL, USER, policy
from handfast.edge.http.problems import problem_spec
from handfast.edge.http.routes.admin_problems import INVALID
from handfast.edge.http.signed_in import signed_in
from handfast.engine.system import System
from handfast.services.idempotency import transaction

NOT_USABLE = {422: problem_spec("It can be read, but not stored: the detail says why")}
FIXED = {409: problem_spec("birthDate and gender are fixed since you were verified")}
TOO_MANY = {409: problem_spec("There is no room for so many preferences")}


@policy(USER, suspended=True)
@get("/users/me", summary="Yourself", operation_id="me")
async def me(request: Request[Any, Any, State], state: State) -> User:
    """Everything that you have said of yourself, and where you stand."""
    system: System = state.system
    async with system.database.connection() as connection:
        return await get_user(connection, signed_in(request).user_id)


@policy(USER, key=PERSONAL)
@patch(
    "/users/me",
    summary="Change your profile",
    operation_id="meChange",
    responses=INVALID | NOT_USABLE | FIXED,
)
async def change(request: Request[Any, Any, State], data: JSONBody[ProfileChange]) -> User:
    """Field by field, the last one wins."""
    async with transaction(request) as tx:
        return await change_profile(tx, signed_in(request).user_id, data)


@policy(USER)
@get("/users/me/preferences", summary="Your preferences", operation_id="preferences")
async def preferences(request: Request[Any, Any, State], state: State) -> dict[str, Any]:
    """Named settings, such as `notifications`."""
    system: System = state.system
    async with system.database.connection() as connection:
        return await get_preferences(connection, signed_in(request).user_id)


@policy(USER, key=PERSONAL)
@put(
    "/users/me/preferences",
    summary="Set preferences",
    operation_id="preferencesPut",
    responses=INVALID | NOT_USABLE | TOO_MANY,
)
async def set_preferences(
    request: Request[Any, Any, State], data: JSONBody[dict[str, Any]]
) -> dict[str, Any]:
    """Those that you name; the others stay. Null removes one. A value has at most 1 kB as JSON."""
    async with transaction(request) as tx:
        return await put_preferences(tx, signed_in(request).user_id, data)


HANDLERS = (me, change, preferences, set_preferences)
