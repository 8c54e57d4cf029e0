"""Disputes, for operators."""

from typing import Annotated, Any, Literal

from litestar import Request, get, post
from litestar.datastructures import State
from litestar.params import JSONBody, PathParameter, QueryParameter

from handfast.apps.stakes.sessions.disputes import get_dispute, list_disputes, resolve_dispute
from handfast.apps.stakes.values import Dispute
from handfast.base.errors import InvalidRequest
from handfast.edge.api.bounds import ID_MAX
from handfast.edge.api.stakes import DisputeDecision, DisputePage
from handfast.edge.http.changes import changing
from handfast.edge.http.policies import OPERATOR, REQUIRED, policy
from handfast.edge.http.problems import problem_spec
from handfast.edge.http.routes.admin_problems import INVALID, Limit
from handfast.engine.system import System

NO_SUCH_DISPUTE = {404: problem_spec("There is no such dispute")}
GONE = {402: problem_spec("The pot was paid out, and who got it has it no longer")}
RESOLVED = {409: problem_spec("The dispute is resolved already")}
UNCLEAR = {422: problem_spec("Neither a winner nor split was said, or both, or a stranger")}

DisputeId = Annotated[int, PathParameter(ge=1, le=ID_MAX, description="The dispute's id.")]
DisputeStatus = Annotated[
    Literal["open", "resolved", "all"], QueryParameter(description="Only those.")
]
AfterDispute = Annotated[
    int, QueryParameter(ge=0, le=ID_MAX, description="Go on after this one: `next`.")
]


@policy(OPERATOR)
@get(
    "/admin/disputes",
    summary="What waits for a person",
    operation_id="adminDisputes",
    responses=INVALID,
)
async def listed(
    state: State, status: DisputeStatus = "open", after: AfterDispute = 0, limit: Limit = 100
) -> DisputePage:
    """The oldest first."""
    system: System = state.system
    async with system.database.connection() as connection:
        found = await list_disputes(
            connection, status=None if status == "all" else status, after=after, limit=limit + 1
        )
    shown = found[:limit]
    return DisputePage(shown, shown[-1].id if len(found) > limit else None)


@policy(OPERATOR, key=REQUIRED, audit="dispute.resolve")
@post(
    "/admin/disputes/{dispute_id:int}/resolve",
    summary="Decide a dispute",
    operation_id="adminDisputeResolve",
    status_code=200,
    responses=INVALID | NO_SUCH_DISPUTE | GONE | RESOLVED | UNCLEAR,
)
async def resolve(
    request: Request[Any, Any, State], dispute_id: DisputeId, data: JSONBody[DisputeDecision]
) -> Dispute:
    """For `winnerId`, or `split`. What was paid out already is given back by who has too much."""
    if (data.winner_id is None) != data.split:
        raise InvalidRequest(
            "A dispute is decided for one of the two, or split.",
            hint='Send {"winnerId": "…"} or {"split": true}.',
        )
    async with changing(request, f"dispute:{dispute_id}", reason=data.reason) as change:
        await get_dispute(change.tx, dispute_id)
        return await resolve_dispute(change.tx, dispute_id, data.winner_id)


HANDLERS = (listed, resolve)
