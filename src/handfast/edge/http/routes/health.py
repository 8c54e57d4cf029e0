"""Is it alive, can it serve, how is it doing."""

from typing import Any

import msgspec
from litestar import Response, Router, get
from litestar.datastructures import State
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from handfast import __version__
from handfast.base.errors import DatabaseUnreachable, HandfastError, NotReady
from handfast.base.logs import get_logger
from handfast.base.telemetry import REGISTRY
from handfast.db.migrate import require_migrated
from handfast.db.outage import AWAY, put_off
from handfast.edge.http.problems import problem_spec
from handfast.engine.worker import Worker
from handfast.wiring import System

log = get_logger(__name__)


class Health(msgspec.Struct):
    status: str
    version: str


class Readiness(msgspec.Struct):
    status: str
    checks: dict[str, str]


@get("/health", summary="Alive", operation_id="health", sync_to_thread=False)
def health() -> Health:
    """Answers as long as the process runs. Restart the process when it does not."""
    return Health(status="ok", version=__version__)


@get(
    "/ready",
    summary="Able to serve",
    operation_id="ready",
    responses={503: problem_spec("Something that is needed is missing")},
)
async def ready(state: State) -> Readiness:
    """The database answers, has every migration, and the worker of this process, if there is one,
    works. Send no traffic while this is 503."""
    system: System = state.system
    try:
        await require_migrated(system.database)
    except (HandfastError, *AWAY) as error:
        put_off(log, "not_ready", error)
        told = error.told if isinstance(error, HandfastError) else DatabaseUnreachable.told
        raise NotReady(told) from error
    checks = {"database": "ok", "migrations": "ok"}
    worker: Worker | None = state.worker
    if worker is not None:
        if not worker.working:
            raise NotReady("The worker of this process does not work at the moment.")
        checks["worker"] = "ok"
    return Readiness(status="ready", checks=checks)


@get(
    "/metrics",
    summary="Prometheus metrics",
    operation_id="metrics",
    media_type="text/plain",
)
async def metrics(state: State) -> Response[bytes]:
    """What this process has counted, and what the database knows."""
    await state.figures.refresh()
    return Response(
        content=generate_latest(REGISTRY), headers={"content-type": CONTENT_TYPE_LATEST}
    )


router: Any = Router(path="/", route_handlers=[health, ready, metrics], tags=["operating"])
