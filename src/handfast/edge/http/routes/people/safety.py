"""Blocks. Reports and appeals come with safety."""

from typing import Annotated, Any
from uuid import UUID

from litestar import Request, delete, get, post
from litestar.datastructures import State
from litestar.params import JSONBody, PathParameter

from handfast.apps.people.blocks import UserBlock, block, list_blocks, unblock
from handfast.edge.api.people import BlockList, NewBlock
from handfast.edge.http.policies import REQUIRED, USER, policy
from handfast.edge.http.problems import problem_spec
from handfast.edge.http.routes.admin_problems import INVALID
from handfast.edge.http.signed_in import signed_in
from handfast.engine.system import System
from handfast.services.idempotency import transaction

NO_SUCH_USER = {404: problem_spec("There is no such user")}
NOT_BLOCKED = {404: problem_spec("You have not blocked that user")}
ONESELF = {422: problem_spec("Nobody blocks themselves")}

UserId = Annotated[UUID, PathParameter(description="Whom you have blocked.")]


@policy(USER, key=REQUIRED)
@post(
    "/safety/block",
    summary="Block a user",
    operation_id="block",
    status_code=200,
    responses=INVALID | NO_SUCH_USER | ONESELF,
)
async def add(
    request: Request[Any, Any, State], state: State, data: JSONBody[NewBlock]
) -> UserBlock:
    """You will not be shown to each other. Whoever is blocked already stays so."""
    system: System = state.system
    async with transaction(request) as tx:
        return await block(tx, system.hooks, signed_in(request).user_id, data.user_id, data.reason)


@policy(USER)
@get("/users/me/blocks", summary="Whom you have blocked", operation_id="blocks")
async def blocks(request: Request[Any, Any, State], state: State) -> BlockList:
    """The newest first."""
    system: System = state.system
    async with system.database.connection() as connection:
        return BlockList(await list_blocks(connection, signed_in(request).user_id))


@policy(USER)
@delete(
    "/users/me/blocks/{user_id:uuid}",
    summary="Take a block back",
    operation_id="unblock",
    responses=NOT_BLOCKED,
)
async def remove(request: Request[Any, Any, State], user_id: UserId) -> None:
    """What it has ended does not come back."""
    async with transaction(request) as tx:
        await unblock(tx, signed_in(request).user_id, user_id)


HANDLERS = (add, blocks, remove)
