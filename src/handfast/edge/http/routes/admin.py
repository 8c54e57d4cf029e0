"""What operators may see and do."""

from typing import Any

from litestar import Router, get
from litestar.datastructures import State

from handfast import __version__
from handfast.db.migrations.migrate import status as migration_status
from handfast.db.server_facts import read_server
from handfast.edge.api.health import SystemView
from handfast.edge.api.viewing import as_it_is
from handfast.edge.http.policies import OPERATOR, policy
from handfast.edge.http.routes import (
    admin_audit,
    admin_bulk,
    admin_dashboard,
    admin_dead,
    admin_engine,
    admin_figures,
    admin_gaps,
    admin_identity,
    admin_jobs,
    admin_pauses,
    admin_session,
    admin_settings,
)
from handfast.engine.system import System


@policy(OPERATOR, viewer=as_it_is)
@get(
    "/system",
    summary="What is running",
    operation_id="adminSystem",
)
async def system_view(state: State) -> SystemView:
    """Versions, the database and its migrations."""
    system: System = state.system
    async with system.database.connection() as connection:
        server = await read_server(connection)
    report = await migration_status(system.database, schemas=system.capabilities.schemas)
    return SystemView(
        version=__version__,
        mode=system.settings.mode,
        embedded=system.settings.embedded,
        database=server.database,
        server_version=server.version,
        database_bytes=server.size_bytes,
        now=server.now.isoformat(),
        migrations_applied=len(report.applied),
        migrations_pending=report.pending,
        connections=server.connections,
        transactions=server.transactions,
    )


router: Any = Router(
    path="/admin",
    route_handlers=[
        system_view,
        *admin_dashboard.HANDLERS,
        *admin_jobs.HANDLERS,
        *admin_identity.HANDLERS,
        *admin_dead.HANDLERS,
        *admin_gaps.HANDLERS,
        *admin_bulk.HANDLERS,
        *admin_engine.HANDLERS,
        *admin_pauses.HANDLERS,
        *admin_figures.HANDLERS,
        *admin_audit.HANDLERS,
        *admin_session.HANDLERS,
        *admin_settings.HANDLERS,
    ],
    tags=["operators"],
)
