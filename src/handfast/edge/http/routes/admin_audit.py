"""The audit: what operators have changed."""

from typing import Annotated, Any

from litestar import get
from litestar.datastructures import State
from litestar.params import QueryParameter

from handfast.edge.api.bounds import ID_MAX
from handfast.edge.http.policies import OPERATOR, policy
from handfast.edge.http.routes.admin_problems import INVALID, Limit, text_parameter
from handfast.engine.operating.audit import AuditFilter, AuditPage, list_audit
from handfast.engine.system import System


@policy(OPERATOR)
@get("/audit", summary="What operators changed", operation_id="adminAudit", responses=INVALID)
async def audit(
    state: State,
    *,
    actor: Annotated[str | None, text_parameter("Only what they changed.")] = None,
    action: Annotated[str | None, text_parameter("Such as job.cancel.")] = None,
    subject: Annotated[str | None, text_parameter("Such as job:17.")] = None,
    after: Annotated[
        int | None, QueryParameter(ge=1, le=ID_MAX, description="The `next` of the page before.")
    ] = None,
    limit: Limit = 100,
) -> AuditPage:
    """The newest first. The actor is the name of the token that was sent, or `cli:` and the user of
    the machine."""
    system: System = state.system
    where = AuditFilter(actor, action, subject)
    async with system.database.connection() as connection:
        return await list_audit(connection, where, after=after, limit=limit)


HANDLERS: list[Any] = [audit]
