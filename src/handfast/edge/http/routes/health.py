"""Is it alive, can it serve, how is it doing."""

from typing import Any

from litestar import Response, Router, get
from litestar.datastructures import State
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from handfast import __version__
from handfast.base import supervise
from handfast.base.errors import HandfastError, NotReady
from handfast.base.logs import get_logger
from handfast.base.telemetry import REGISTRY
from handfast.db.errors import DatabaseUnreachable
from handfast.db.migrations.migrate import require_migrated
from handfast.db.outage import AWAY, put_off
from handfast.edge.api.health import Health, Readiness
from handfast.edge.http.policies import ANYONE, policy
from handfast.edge.http.problems import problem_spec
from handfast.engine.host import Host
from handfast.engine.operating.jobs_view import alive_of
from handfast.engine.system import System

log = get_logger(__name__)


@policy(ANYONE)
@get("/health", summary="Alive", operation_id="health", sync_to_thread=False)
def health() -> Health:
    """Answers as long as the process runs. Restart the process when it does not."""
    return Health(status="ok", version=__version__)


@policy(ANYONE)
@get(
    "/ready",
    summary="Able to serve",
    operation_id="ready",
    responses={503: problem_spec("Something that is needed is missing")},
)
async def ready(state: State) -> Readiness:
    """The database answers and has every migration, the background tasks of this process go on, and
    each worker of it works: it is registered, and its heartbeats arrive. Send no traffic while this
    is 503."""
    system: System = state.system
    host: Host = state.host
    try:
        await require_migrated(system.database, schemas=system.capabilities.schemas)
        alive = await _alive(system, host)
    except (HandfastError, *AWAY) as error:
        put_off(log, "not_ready", error)
        told = error.told if isinstance(error, HandfastError) else DatabaseUnreachable.told
        raise NotReady(told) from error
    if ailing := supervise.ailing():
        raise NotReady(
            f"Of this process's background tasks, {', '.join(ailing)} ended by an error a moment "
            "ago and is begun again.",
            hint="The log says why: background_task_died.",
        )
    checks = {"database": "ok", "migrations": "ok", "background": "ok"}
    at_work = {one.crew.lanes for one in host.workers if one.working and one.id in alive}
    idle = [crew.lanes for crew in host.crews if crew.lanes and crew.lanes not in at_work]
    if idle:
        said = "; ".join(", ".join(lanes) for lanes in idle)
        raise NotReady(f"Nobody in this process works on these lanes at the moment: {said}.")
    if host.lanes:
        checks["worker"] = "ok"
    return Readiness(status="ready", checks=checks, lanes=sorted(set(host.lanes)))


async def _alive(system: System, host: Host) -> set[int]:
    """By the database's word: a worker that ended in silence has a past heartbeat there."""
    ids = [one.id for one in host.workers if one.id is not None]
    if not ids:
        return set()
    async with system.database.connection() as connection:
        return await alive_of(connection, ids)


@policy(ANYONE)
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
