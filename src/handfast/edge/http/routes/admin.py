"""What operators may see and do. The guard is on the router: nothing below can forget it."""

from typing import Any

import msgspec
from litestar import Router, get
from litestar.datastructures import State

from handfast import __version__
from handfast.db.migrate import status as migration_status
from handfast.db.server import read_server
from handfast.edge.http.auth import operator_only
from handfast.edge.http.routes import admin_dead, admin_engine, admin_gaps, admin_jobs
from handfast.edge.http.routes.admin_problems import ADMIN_PROBLEMS
from handfast.wiring import System


class SystemView(msgspec.Struct, rename="camel"):
    version: str
    mode: str
    embedded: bool
    database: str
    server_version: str
    database_bytes: int
    now: str
    migrations_applied: int
    migrations_pending: list[str]


@get(
    "/system",
    summary="What is running",
    operation_id="adminSystem",
    responses=ADMIN_PROBLEMS,
)
async def system_view(state: State) -> SystemView:
    """Versions, the database and its migrations."""
    system: System = state.system
    async with system.database.connection() as connection:
        server = await read_server(connection)
    report = await migration_status(system.database)
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
    )


router: Any = Router(
    path="/admin",
    route_handlers=[
        system_view,
        *admin_jobs.HANDLERS,
        *admin_dead.HANDLERS,
        *admin_gaps.HANDLERS,
        *admin_engine.HANDLERS,
    ],
    guards=[operator_only],
    tags=["operators"],
    security=[{"operator": []}],
)
