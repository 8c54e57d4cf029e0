"""The ASGI application: the API, and what stands around all of it."""

import asyncio
from collections.abc import Sequence
from typing import Any, cast

from litestar import Litestar
from litestar.datastructures import State
from litestar.exceptions import HTTPException
from litestar.openapi import OpenAPIConfig
from litestar.openapi.spec import Components, SecurityScheme
from litestar.types import ASGIApp

from handfast import __version__
from handfast.apps.runs.watch import Watch
from handfast.base.errors import HandfastError
from handfast.base.ids import new_token
from handfast.edge.http import pages
from handfast.edge.http.auth import operator_logins
from handfast.edge.http.bodies import BODY_BYTES_MAX
from handfast.edge.http.description import KeyedDescription
from handfast.edge.http.heads import heads_answered
from handfast.edge.http.keyed import keyed
from handfast.edge.http.limits import rate_limited
from handfast.edge.http.observe import observed
from handfast.edge.http.paths import spelled_once
from handfast.edge.http.problems import (
    on_framework_error,
    on_handfast_error,
    on_undecodable_body,
    on_unexpected_error,
)
from handfast.edge.http.routes import admin, fixtures, health, match_runs, webhooks
from handfast.edge.http.strict import StrictStructs
from handfast.engine.figures import Figures
from handfast.engine.worker import Worker
from handfast.facade import Handfast
from handfast.services.limits.limiter import Limiter
from handfast.services.limits.subject import Proxies
from handfast.wiring import System


def surrounded(api: Litestar) -> ASGIApp:
    """The API with what happens to every request, also to those that no route takes."""
    inner = keyed(api) if "admin_token" in api.state else cast("ASGIApp", api)
    return spelled_once(observed(heads_answered(rate_limited(api, inner))))


def create_api(
    system: System,
    admin_token: str,
    *,
    idempotency_secret: str | None = None,
    program: Handfast | None = None,
    workers: Sequence[Worker] = (),
) -> Litestar:
    """The whole API around one system. ``idempotency_secret`` encrypts kept answers; without it
    only this process can read them again. ``program`` brings what it expects to exist; ``workers``
    are those that work in this process."""
    watch = Watch(system.database, system.direct)
    api = _assemble(
        [
            health.router,
            admin.router,
            webhooks.router,
            match_runs.router,
            fixtures.router,
            pages.docs,
            pages.static,
        ],
        _state(
            system,
            workers,
            admin_token=admin_token,
            idempotency_secret=idempotency_secret or new_token("hf_seal"),
            program=program,
            watch=watch,
        ),
    )
    api.on_shutdown.append(watch.close)
    return api


def create_probes(system: System, workers: Sequence[Worker] = ()) -> Litestar:
    """Only health, readiness and metrics: for processes that work and serve nothing else."""
    return _assemble([health.router], _state(system, workers))


def _state(system: System, workers: Sequence[Worker], **more: Any) -> State:
    return State(
        {
            "system": system,
            "workers": workers,
            "figures": Figures(system.database),
            "limiter": Limiter(system.database, system.redis),
            "operator_logins": operator_logins(system.settings.operator_login_limit),
            "proxies": Proxies(system.settings.trusted_proxies),
            "stopping": asyncio.Event(),
            **more,
        },
        deep_copy=False,
    )


def _assemble(routes: list[Any], state: State) -> Litestar:
    return Litestar(
        route_handlers=routes,
        exception_handlers={
            HandfastError: on_handfast_error,
            HTTPException: on_framework_error,
            UnicodeDecodeError: on_undecodable_body,
            RecursionError: on_undecodable_body,
            Exception: on_unexpected_error,
        },
        state=state,
        plugins=[StrictStructs()],
        openapi_config=_openapi(),
        logging_config=None,
        request_max_body_size=BODY_BYTES_MAX,
    )


def _openapi() -> OpenAPIConfig:
    return OpenAPIConfig(
        title="Handfast",
        version=__version__,
        description="Durable matchmaking on PostgreSQL.",
        path="/openapi.json",
        render_plugins=[KeyedDescription(path="/")],
        components=Components(
            security_schemes={
                "operator": SecurityScheme(
                    type="http",
                    scheme="bearer",
                    description="The operator's token, HANDFAST_ADMIN_TOKEN.",
                )
            }
        ),
    )
